// Package apitest makes objects of the Kubernetes API for tests of code that follows a cluster.
//
// A [Filler] fills any object at random and alters single fields of it. [Kinds] returns the kinds that package
// convert reads, with their fields and with objects that an API server accepts. A [World] draws versions of
// objects that refer to each other. [Diff] compares a snapshot that was kept up to date with one that is built
// anew.
//
// Everything that is drawn depends only on the seed.
package apitest

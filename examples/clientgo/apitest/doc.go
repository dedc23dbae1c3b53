// Package apitest makes objects of the Kubernetes API for tests of what follows a cluster.
//
// A [Filler] fills any object at random and alters single fields of it; [Kinds] are those that
// package convert reads, with their fields and with objects that an API server lets in; a
// [World] draws versions of objects that have to do with each other. [Diff] compares a
// snapshot that was kept current with one that is built anew.
//
// What is drawn depends on the seed alone.
package apitest

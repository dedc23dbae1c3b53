// Package release knows in what the releases of Kubernetes differ.
//
// A [Release] is a value. [Of] resolves it once into [Rules], which are named
// booleans. The other packages ask these and nothing else, so that there is one
// engine for all releases. A table in the tests has a row for each of them,
// from which that in .github/RELEASES.md is tested.
package release

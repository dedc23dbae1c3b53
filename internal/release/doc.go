// Package release answers: which rules hold in a release of Kubernetes?
//
// A [Release] is a value. [Of] resolves it once into [Rules], which are named booleans. The other
// packages look only at these, so that there is one engine for all releases. A table in the tests has a
// row for each rule. The table in .github/RELEASES.md is tested against it.
package release

package main

import (
	"cmp"

	"github.com/outrank-go/outrank"
)

// text tells a person where a release is from.
func (s ReleaseSource) text() string {
	switch s {
	case ReleaseFlag:
		return "--release"
	case ReleaseNodes:
		return "as the nodes say"
	case ReleaseDefault:
		return "the default, as no node says one"
	}
	return "the nearest known to what the nodes say"
}

// settleRelease sets the release whose rules apply to the cluster. It returns where the release is from, and a
// caveat if that is doubtful.
func settleRelease(opts *options, c *outrank.Cluster) (from ReleaseSource, caveats []Warning) {
	if opts.set["release"] {
		c.Release = opts.release
		return ReleaseFlag, nil
	}

	read, err := c.ReleaseOfNodes()
	c.Release = cmp.Or(read, outrank.DefaultRelease)
	switch {
	case err != nil:
		return ReleaseNearest, []Warning{dumpLacks("says a release that is not known, so that the rules of %v are followed: %v", c.Release, err)}
	case read == 0:
		return ReleaseDefault, nil
	}
	return ReleaseNodes, nil
}

package main

import (
	"cmp"

	"github.com/outrank-go/outrank"
)

// Where the release comes from.
const (
	releaseFlag    = "-release"
	releaseNodes   = "as the nodes say"
	releaseDefault = "the default, as no node says one"
	releaseUnknown = "the nearest known to what the nodes say"
)

// settleRelease says in the cluster whose rules hold, and returns where that comes from
// and what there is to say about it.
func settleRelease(opts *options, c *outrank.Cluster) (from string, caveats []Warning) {
	if opts.set["release"] {
		c.Release = opts.release
		return releaseFlag, nil
	}
	read, err := c.ReleaseOfNodes()
	c.Release = cmp.Or(read, outrank.DefaultRelease)
	switch {
	case err != nil:
		return releaseUnknown, []Warning{dumpLacks("says a release that is not known, so that the rules of %v are followed: %v", c.Release, err)}
	case read == 0:
		return releaseDefault, nil
	}
	return releaseNodes, nil
}

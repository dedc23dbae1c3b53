package main

import (
	"bytes"
	"cmp"
	"io"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/claimed"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/preemption/planner/quota"
)

// loaded is a cluster as it was read, with its quotas.
type loaded struct {
	*outrank.Cluster
	quotas []*quota.Quota
	// backing maps the device classes of the dump to the extended resources that they back.
	backing claimed.Backing
}

// kindQuota is a kind that the library does not read as part of a cluster.
const kindQuota = "ResourceQuota"

// readAll reads a cluster with its quotas and device classes, in one pass over the text. It collects the quotas
// into a list of their own, because another package of the library reads them.
func readAll(r io.Reader) (*loaded, error) {
	list := []byte(`{"apiVersion": "v1", "kind": "ResourceQuotaList", "items": [`)
	empty := len(list)
	classes := claimed.Backing{}
	var broken error

	cluster, err := kube.ReadClusterWith(r, func(kind string, text []byte) {
		if kind == claimed.Kind {
			// Only the first mistake is reported. The library has no way to stop reading, so that the rest is
			// read, too.
			broken = cmp.Or(broken, classes.Add(text))
		}
		if kind != kindQuota {
			return
		}
		if len(list) > empty {
			list = append(list, ',')
		}
		list = append(list, text...)
	})

	if err = cmp.Or(err, broken); err != nil || len(list) == empty {
		return &loaded{Cluster: cluster, backing: classes}, err
	}

	// Quotas take part, so that they must not count as left out.
	delete(cluster.Skipped, kindQuota)
	quotas, err := quota.Read(bytes.NewReader(append(list, "]}"...)))
	return &loaded{cluster, quotas, classes}, err
}

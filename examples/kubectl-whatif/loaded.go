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
	// backing has the device classes of the dump with the extended resources that they back.
	backing claimed.Backing
}

// kindQuota is a kind that the library does not read as part of a cluster.
const kindQuota = "ResourceQuota"

// readAll reads a cluster with its quotas and device classes, in one pass over the text. The quotas
// are collected as a list of their own, which another package of the library reads.
func readAll(r io.Reader) (*loaded, error) {
	list := []byte(`{"apiVersion": "v1", "kind": "ResourceQuotaList", "items": [`)
	empty := len(list)
	classes := claimed.Backing{}
	var broken error

	cluster, err := kube.ReadClusterWith(r, func(kind string, text []byte) {
		if kind == claimed.Kind {
			// The first mistake counts, and the reading goes on, as the library has no way to stop it.
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

	// Quotas that are read take part, and are not left out.
	delete(cluster.Skipped, kindQuota)
	quotas, err := quota.Read(bytes.NewReader(append(list, "]}"...)))
	return &loaded{cluster, quotas, classes}, err
}

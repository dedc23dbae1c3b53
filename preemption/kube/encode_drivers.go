package kube

import (
	"fmt"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// requiredDrivers lists the drivers that are missing on any node, sorted. Each is written as a CSIDriver that must be on
// every node.
func (e *encoder) requiredDrivers(c *outrank.Cluster) []string {
	required := map[string]bool{}
	for _, n := range c.Nodes {
		for _, driver := range n.MissingDrivers {
			required[driver] = true
		}
	}

	if len(required) > mostRequired {
		e.problems = append(e.problems, outrank.Problem{Object: "cluster", Field: "Nodes",
			Text: fmt.Sprintf("%d drivers are missing on nodes, and no more than %d are read back", len(required), mostRequired)})
		return nil
	}
	return apis.SortedKeys(required)
}

// csiDriver returns the CSIDriver object of a required driver.
func (e *encoder) csiDriver(name string) *manifest.DriverObject {
	w := &manifest.DriverObject{APIVersion: "storage.k8s.io/v1", Kind: kindCSIDriver}
	w.Metadata.Name, w.Spec.PreventIfMissing = name, true
	return w
}

// csiNode returns the CSINode object with the limits of a node and the required drivers that it has. It is nil if the
// node has no limits and no driver is required.
func (e *encoder) csiNode(n *outrank.Node, required []string) *manifest.CSINode {
	e.subject = "node " + n.Name
	if len(n.AttachLimits)+len(required) == 0 {
		return nil
	}

	w := &manifest.CSINode{APIVersion: "storage.k8s.io/v1", Kind: kindCSINode}
	w.Metadata.Name = n.Name
	for _, driver := range apis.SortedKeys(n.AttachLimits) {
		limit := n.AttachLimits[driver]
		if limit < 0 || limit > math.MaxInt32 {
			e.add(apis.LimitPath(driver), "%d is not between 0 and %d", limit, math.MaxInt32)
		}
		if len(required) > 0 && slices.Contains(n.MissingDrivers, driver) {
			e.add(apis.LimitPath(driver), "the driver is among those that are missing")
		}
		count := int32(limit)
		w.Spec.Drivers = append(w.Spec.Drivers, manifest.CSIDriver{
			Name: driver, Allocatable: manifest.CSIAllocatable{Count: &count},
		})
	}

	// Listing a required driver says that the node has it. A driver with a limit is listed already.
	for _, driver := range required {
		if _, limited := n.AttachLimits[driver]; !limited && !slices.Contains(n.MissingDrivers, driver) {
			w.Spec.Drivers = append(w.Spec.Drivers, manifest.CSIDriver{Name: driver})
		}
	}
	return w
}

package convert

import (
	"slices"

	storagev1 "k8s.io/api/storage/v1"

	"github.com/outrank-go/outrank"
)

// NodeDrivers is the content of a CSINode.
type NodeDrivers struct {
	Node string
	// Limits maps drivers to the number of their volumes that the node can attach. It is nil if there are no
	// limits.
	Limits map[string]int64
	// Drivers are the drivers that are installed on the node.
	Drivers []string
}

// CSINode converts a CSINode.
func CSINode(n *storagev1.CSINode) (*NodeDrivers, error) {
	if err := named("csinode", n != nil, func() string { return n.Name }); err != nil {
		return nil, err
	}
	out := &NodeDrivers{Node: n.Name}
	for i := range n.Spec.Drivers {
		d := &n.Spec.Drivers[i]
		out.Drivers = append(out.Drivers, d.Name)
		if d.Allocatable == nil || d.Allocatable.Count == nil {
			continue
		}
		if out.Limits == nil {
			out.Limits = map[string]int64{}
		}
		out.Limits[d.Name] = int64(*d.Allocatable.Count)
	}
	return out, nil
}

// Driver is a CSIDriver.
type Driver struct {
	Name string
	// Required says that no pod with a volume of the driver can be on a node without the driver
	// (preventPodSchedulingIfMissing).
	Required bool
}

// CSIDriver converts a CSIDriver.
func CSIDriver(d *storagev1.CSIDriver) (*Driver, error) {
	if err := named("csidriver", d != nil, func() string { return d.Name }); err != nil {
		return nil, err
	}
	return &Driver{Name: d.Name, Required: valueOf(d.Spec.PreventPodSchedulingIfMissing)}, nil
}

// Attach returns a node with the content of its CSINode, which is nil if there is none. required lists the
// drivers that nodes must have, sorted. It has to be empty if no CSINode is known at all, because then it is
// unknown where the drivers are. The node comes from [Node] and is not changed.
func Attach(n *outrank.Node, drivers *NodeDrivers, required []string) *outrank.Node {
	out := *n
	out.AttachLimits, out.MissingDrivers = nil, nil
	if drivers != nil {
		out.AttachLimits = drivers.Limits
	}
	for _, name := range required {
		if drivers == nil || !slices.Contains(drivers.Drivers, name) {
			out.MissingDrivers = append(out.MissingDrivers, name)
		}
	}
	return &out
}

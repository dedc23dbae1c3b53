package mirror

import (
	"errors"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/outrank-go/outrank/examples/clientgo/convert"
)

// drivers records on which nodes the drivers of volumes are, and which are required.
type drivers struct {
	on       map[string]*convert.NodeDrivers // the content of CSINodes, by node
	required []string                        // the drivers that nodes must have, sorted
}

func newDrivers() drivers { return drivers{on: map[string]*convert.NodeDrivers{}} }

func (m *Mirror) putNode(n *corev1.Node) error {
	one, err := convert.Node(n)
	if err == nil {
		one.Value = n
		one.Allocatable = m.amounts.one(one.Allocatable)
		m.nodes[n.Name] = one
		err = m.attach(n.Name)
	} else {
		delete(m.nodes, n.Name)
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(m.snap.RemoveNode(n.Name)))
	}
	return nil
}

// attach puts a node with the present content of its CSINode into the snapshot, if the node exists.
func (m *Mirror) attach(name string) error {
	n := m.nodes[name]
	if n == nil {
		return nil
	}
	return m.snap.PutNode(convert.Attach(n, m.drivers.on[name], m.drivers.required))
}

func (m *Mirror) putDrivers(d *convert.NodeDrivers) error {
	m.drivers.on[d.Node] = d
	return m.reattach(d.Node)
}

func (m *Mirror) removeDrivers(node string) error {
	delete(m.drivers.on, node)
	return m.reattach(node)
}

// putDriver records whether nodes must have a driver. If that changes, all nodes are put again.
func (m *Mirror) putDriver(d *convert.Driver) error {
	at, known := slices.BinarySearch(m.drivers.required, d.Name)
	if known == d.Required {
		return nil
	}
	if d.Required {
		m.drivers.required = slices.Insert(m.drivers.required, at, d.Name)
	} else {
		m.drivers.required = slices.Delete(m.drivers.required, at, at+1)
	}
	return m.reattach(slices.Sorted(maps.Keys(m.nodes))...)
}

// reattach puts nodes again whose CSINode or drivers have changed. A node that is refused then leaves the
// mirror. That is no error of the object that has just been put.
func (m *Mirror) reattach(names ...string) error {
	for _, name := range names {
		at := id{nodeKind, name}
		_ = m.telling(at, func() error {
			if err := m.attach(name); err != nil {
				m.problems[at] = errors.Join(err, ignoreMissing(m.snap.RemoveNode(name)))
			} else if m.nodes[name] != nil {
				delete(m.problems, at)
			}
			return nil
		})
	}
	return nil
}

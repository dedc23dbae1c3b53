package question

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/priority"
)

// RemoveNodes takes nodes away with the pods on them.
type RemoveNodes struct {
	// Of names the change, such as the flag that asked for it. So does the field Of of every change.
	Of    string
	Names []string
}

// AddNodes adds nodes.
type AddNodes struct {
	Of    string
	Nodes []*outrank.Node
}

// PutClasses gives priority classes other values, or makes new ones. Pods keep the priority that they have. Pods
// that are created later get theirs from the new values.
type PutClasses struct {
	Of      string
	Classes []*outrank.PriorityClass
}

// Recreate makes controllers recreate every running pod in its place, with the priority that its class gives now.
type Recreate struct{ Of string }

// PutBudget sets what a disruption budget allows.
type PutBudget struct {
	Of      string
	Key     outrank.Key
	Allowed int32
}

// DeletePods deletes pods; controllers recreate theirs, wherever there is room.
type DeletePods struct {
	Of   string
	Keys []outrank.Key
}

// String names the change.
func (c *RemoveNodes) String() string { return c.Of }

// String names the change.
func (c *AddNodes) String() string { return c.Of }

// String names the change.
func (c *PutClasses) String() string { return c.Of }

// String names the change.
func (c *Recreate) String() string { return c.Of }

// String names the change.
func (c *PutBudget) String() string { return c.Of }

// String names the change.
func (c *DeletePods) String() string { return c.Of }

func (c *RemoveNodes) apply(s *Scenario) error {
	if len(c.Names) == 0 {
		return fmt.Errorf("%w: %s: no node is named", outrank.ErrInvalid, c)
	}

	going := make(map[string]bool, len(c.Names))
	for _, name := range c.Names {
		if err := s.claim(c, "node", name); err != nil {
			return err
		}
		if _, ok := s.snap.Node(name); !ok {
			return fmt.Errorf("node %s: %w", name, preemption.ErrNotFound)
		}
		going[name] = true
	}

	// The nodes are put in the order of the cluster, so that the order in which they are named does not matter.
	var nodes []string
	for n := range s.snap.Nodes() {
		if going[n.Name] {
			nodes = append(nodes, n.Name)
		}
	}
	s.drains = append(s.drains, drainage{s.Fork(), nodes})
	s.gone = append(s.gone, nodes...)

	// All nodes go before the first pod is released, so that no DaemonSet recreates a pod for one of them.
	pods := make([][]*outrank.Pod, len(nodes))
	for i, node := range nodes {
		pods[i] = s.snap.PodsOn(node)
		if err := s.snap.RemoveNode(node); err != nil {
			return err
		}
	}

	for i, node := range nodes {
		for _, p := range pods[i] {
			if err := s.release(p, motion{origin: FromNode, from: node}); err != nil {
				return err
			}
		}
	}
	return s.clearLostNominations()
}

// clearLostNominations clears nominations to nodes that are gone.
func (s *Scenario) clearLostNominations() error {
	for p := range s.snap.Pods() {
		if node := s.snap.NominationOf(p.Key()); node != "" && slices.Contains(s.gone, node) {
			if err := s.snap.Nominate(p.Key(), ""); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *AddNodes) apply(s *Scenario) error {
	for _, n := range c.Nodes {
		if err := s.claim(c, "node", n.Name); err != nil {
			return err
		}
		if _, ok := s.snap.Node(n.Name); ok {
			return alreadyThere(c, "node", n.Name)
		}
		if err := s.snap.PutNode(n); err != nil {
			return err
		}
		s.added = append(s.added, n.Name)
	}
	return nil
}

// NodesLike returns n new nodes that are like another one: with its resources, labels and taints, with free
// names, and without pods.
func (s *Scenario) NodesLike(like *outrank.Node, n int) []*outrank.Node {
	var out []*outrank.Node
	for i := 1; len(out) < n; i++ {
		name := like.Name + "-new" + strconv.Itoa(i)
		_, taken := s.snap.Node(name)
		if _, decided := s.owner["node "+name]; taken || decided {
			continue
		}
		out = append(out, nodeLike(like, name))
	}
	return out
}

// nodeLike returns a new node that is like another one, under another name. Its cordon and its taints of
// node.kubernetes.io are left out, because they describe the state of that other node.
func nodeLike(like *outrank.Node, name string) *outrank.Node {
	one := *like
	one.Name = name
	one.Unschedulable = false
	one.Taints = slices.DeleteFunc(slices.Clone(like.Taints), func(t outrank.Taint) bool {
		return strings.HasPrefix(t.Key, "node.kubernetes.io/")
	})

	// Rules about neighbours tell hosts apart by this label.
	const host = "kubernetes.io/hostname"
	if _, ok := like.Labels[host]; ok {
		one.Labels = maps.Clone(like.Labels)
		one.Labels[host] = name
	}
	return &one
}

func (c *PutClasses) apply(s *Scenario) error {
	s.reclassed = append(s.reclassed, c.Classes...)
	return s.putClasses(c, c.Classes)
}

// putClasses replaces classes by others of the same names, and adds those with new names.
func (s *Scenario) putClasses(by Change, classes []*outrank.PriorityClass) error {
	if slices.Contains(classes, nil) {
		return fmt.Errorf("%w: a priority class is nil", outrank.ErrInvalid)
	}

	for _, class := range classes {
		if err := s.claim(by, "priorityclass", class.Name); err != nil {
			return err
		}
	}

	_, after, err := tables(s.cluster.Classes, classes)
	if err != nil {
		return err
	}
	s.keepClasses(after)
	return nil
}

// keepClasses makes the classes of a table the classes of the cluster. A table always has the built-in classes;
// the cluster gets them only if it had them before.
func (s *Scenario) keepClasses(table *priority.Table) {
	before := map[string]*outrank.PriorityClass{}
	for _, c := range s.cluster.Classes {
		before[c.Name] = c
	}

	// An unchanged class stays the same object, by which withNewPriority recognises that nothing has changed.
	all := table.Classes()
	var out []*outrank.PriorityClass
	for i := range all {
		c := &all[i]
		known := before[c.Name]
		switch {
		case known != nil && *known == *c:
			out = append(out, known)
		case known == nil && strings.HasPrefix(c.Name, "system-"):
		default:
			out = append(out, c)
		}
	}
	s.cluster.Classes = out
}

func (c *Recreate) apply(s *Scenario) error {
	if err := s.claim(c, "the priorities of", "all pods"); err != nil {
		return err
	}

	// These pods run and have a controller that recreates them.
	for p := range s.snap.Pods() {
		node := s.snap.NodeOf(p.Key())
		if node == "" || p.Owner == (outrank.Owner{}) || p.Mirror || p.Static || p.Terminating() {
			continue
		}
		next := s.withNewPriority(p)
		if next == p {
			continue
		}

		again := *next
		again.NodeName = node
		if _, err := s.snap.PutPod(&again); err != nil {
			return err
		}
	}
	return nil
}

func (c *PutBudget) apply(s *Scenario) error {
	if err := s.claim(c, "budget", string(c.Key)); err != nil {
		return err
	}
	if c.Allowed < 0 {
		return fmt.Errorf("%w: %s: a budget allows no less than 0 disruptions", outrank.ErrInvalid, c)
	}
	i := slices.IndexFunc(s.allowed, func(b *outrank.PodDisruptionBudget) bool { return b.Key() == c.Key })
	if i < 0 {
		return fmt.Errorf("budget %s: %w", c.Key, preemption.ErrNotFound)
	}

	// A drain computes allowances from the healthy pods, so that their number has to match the new allowance.
	b := *s.allowed[i]
	b.CurrentHealthy += c.Allowed - b.DisruptionsAllowed
	b.DisruptionsAllowed = c.Allowed
	if err := s.snap.PutBudget(&b); err != nil {
		return err
	}
	s.rereadBudgets()
	return nil
}

func (c *DeletePods) apply(s *Scenario) error {
	if len(c.Keys) == 0 {
		return fmt.Errorf("%w: %s: no pod is named", outrank.ErrInvalid, c)
	}

	for _, key := range c.Keys {
		if err := s.claim(c, "pod", string(key)); err != nil {
			return err
		}
		if m, moved := s.moved[key]; moved {
			return contradicts(c, "deletes", key, m)
		}
		p, ok := s.snap.Pod(key)
		if !ok {
			return fmt.Errorf("pod %s: %w", key, preemption.ErrNotFound)
		}
		if err := s.release(p, motion{origin: Deleted, from: s.snap.NodeOf(key)}); err != nil {
			return err
		}
	}
	return nil
}

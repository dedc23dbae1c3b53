package scenario

import (
	"time"

	"github.com/outrank-go/outrank"
)

// Cluster reads a cluster, one object on a line:
//
//	node ...        see Line.Node
//	pod ...         see Line.Pod
//	budget NAME selector=(app=web) allowed=1 [namespace=NS] [disrupted=POD,...]
//	namespace NAME [labels=a=b]
//	podgroup NAME [whole] [basic | gang=2] [priority=5] [namespace=NS] [parent=NAME]
//	compositepodgroup NAME [whole] [priority=5] [namespace=NS] [parent=NAME]
//	release v1.36
//
// A podgroup is disrupted pod by pod unless it is whole. The number of a gang is the least number of its pods
// that must find a place; without a policy, all must. Without a release the default one counts. Two objects
// of one kind must not have the same name, and a pod must stand below its node. Each mistake is noted in its
// line.
func Cluster(body []*Line) *outrank.Cluster {
	r := clusterReader{cluster: &outrank.Cluster{}, nodes: map[string]bool{}}
	seen := map[string]bool{}
	for _, l := range body {
		// Names are unique within a kind of object, so the kind is part of what seen holds.
		kind := l.Next("kind of object")
		object := kind + " " + r.read(l, kind)
		if seen[object] {
			l.Fail("there is a %s above", object)
		}
		seen[object] = true
	}
	return r.cluster
}

// clusterReader is a cluster that is being read. nodes has the names of the nodes so far.
type clusterReader struct {
	cluster *outrank.Cluster
	nodes   map[string]bool
}

// read adds the object on a line to the cluster, and returns its name.
func (r *clusterReader) read(l *Line, kind string) (name string) {
	c := r.cluster
	switch kind {
	case "node":
		n := l.Node()
		c.Nodes, r.nodes[n.Name] = append(c.Nodes, n), true
		return n.Name
	case "pod":
		p := l.Pod()
		if p.NodeName != "" && !r.nodes[p.NodeName] {
			l.Fail("there is no node %s above", p.NodeName)
		}
		c.Pods = append(c.Pods, p)
		return string(p.Key())

	case "budget":
		b := l.Budget()
		c.Budgets = append(c.Budgets, b)
		return string(b.Key())
	case "namespace":
		ns := &outrank.Namespace{Name: l.Next("name of the namespace")}
		l.Options(Options{"labels=": Labels(&ns.Labels)})
		c.Namespaces = append(c.Namespaces, ns)
		return ns.Name

	case "podgroup":
		g := l.podGroup()
		c.Groups = append(c.Groups, g)
		return string(g.Key())
	case "compositepodgroup":
		g := l.compositePodGroup()
		c.Composites = append(c.Composites, g)
		return string(g.Key())

	case "release":
		// It has no name: a cluster has one release at most.
		release, err := outrank.ParseRelease(l.Next("name of the release"))
		if err != nil {
			l.Fail("%v", err)
		}
		l.Options(Options{})
		c.Release = release
		return ""
	}
	l.Fail("unknown kind of object %q", kind)
	return ""
}

// Budget reads the rest of the line as a budget; see [Cluster] for the syntax.
func (l *Line) Budget() *outrank.PodDisruptionBudget {
	b := &outrank.PodDisruptionBudget{Name: l.Next("name of the budget")}
	var selected, allowed bool
	l.Options(Options{
		"namespace=": Text(&b.Namespace),
		"selector=":  func(v string) error { selected = true; return Selector(&b.Selector)(v) },
		"allowed=":   func(v string) error { allowed = true; return Number(&b.DisruptionsAllowed)(v) },
		"disrupted=": func(v string) error {
			b.DisruptedPods = map[string]time.Time{}
			for _, name := range parts(v, ',') {
				b.DisruptedPods[name] = Now
			}
			return nil
		},
	})

	if !selected || !allowed {
		l.Fail("a budget has a selector and a number of allowed disruptions")
	}
	return b
}

func (l *Line) podGroup() *outrank.PodGroup {
	g := &outrank.PodGroup{Name: l.Next("name of the group")}
	var priority int32
	l.Options(Options{
		"namespace=": Text(&g.Namespace),
		"whole":      func(string) error { g.DisruptionMode = outrank.DisruptPodGroup; return nil },
		"basic":      func(string) error { g.Policy = outrank.BasicPolicy; return nil },
		"gang=":      func(v string) error { g.Policy = outrank.GangPolicy; return Number(&g.MinCount)(v) },
		"priority=":  func(v string) error { g.Priority = &priority; return Number(&priority)(v) },
		"parent=":    Text(&g.Parent),
	})
	return g
}

func (l *Line) compositePodGroup() *outrank.CompositePodGroup {
	g := &outrank.CompositePodGroup{Name: l.Next("name of the group")}
	var priority int32
	l.Options(Options{
		"namespace=": Text(&g.Namespace),
		"whole":      func(string) error { g.DisruptionMode = outrank.DisruptPodGroup; return nil },
		"priority=":  func(v string) error { g.Priority = &priority; return Number(&priority)(v) },
		"parent=":    Text(&g.Parent),
	})
	return g
}

package reference

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
)

// scene is the node as things are.
func (a *attempt) scene(n *outrank.Node) *scene {
	s := &scene{
		a:         a,
		node:      n,
		ports:     map[hostPort]bool{},
		claimUses: a.claimUsesAtStart,
		spread:    a.spreadAtStart.clone(),
		interpod:  a.interpodAtStart.clone(),
	}
	for _, p := range a.running[n.Name] {
		s.pods = append(s.pods, occupant{pod: p})
		s.takePorts(p)
	}
	return s
}

func (s *scene) clone() *scene {
	c := *s
	c.pods = slices.Clone(s.pods)
	c.ports = maps.Clone(s.ports)
	c.spread = s.spread.clone()
	c.interpod = s.interpod.clone()
	return &c
}

// removeUnit returns the scene without the unit. Of its pods on other nodes only the counts
// of filters over several nodes change: there is room on this node alone (rule 12.8.2).
func (s *scene) removeUnit(u *unit) *scene {
	for _, p := range u.pods {
		s = s.remove(p)
	}
	return s
}

// addUnit returns the scene with the unit back.
func (s *scene) addUnit(u *unit) *scene {
	for _, p := range u.pods {
		s = s.add(occupant{pod: p}, s.a.nodeOf(p))
	}
	return s
}

// remove returns the scene without the pod.
func (s *scene) remove(p *outrank.Pod) *scene {
	c, n := s.clone(), s.a.nodeOf(p)
	if n == s.node {
		c.pods = slices.DeleteFunc(c.pods, func(o occupant) bool { return o.pod == p })
		c.freePorts(p)
	}
	c.follow(p, n, -1)
	return c
}

// add returns the scene with the pod on the node.
func (s *scene) add(o occupant, n *outrank.Node) *scene {
	c := s.clone()
	if n == s.node {
		c.pods = append(c.pods, o)
		c.takePorts(o.pod)
	}
	c.follow(o.pod, n, +1)
	return c
}

// follow changes the counts that filters keep over several nodes.
func (s *scene) follow(p *outrank.Pod, n *outrank.Node, by int) {
	s.changeClaims(p, by)
	s.changeSpread(p, n, by)
	s.a.count(&s.interpod, p, n, by)
}

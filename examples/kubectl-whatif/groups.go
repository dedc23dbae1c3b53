package main

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
)

// groupGate is the feature gate with which the pods of a group are scheduled as a whole, and victims leave with
// their groups.
const groupGate = "GenericWorkload"

// groupKinds are the additional kinds of a cluster with that gate.
var groupKinds = []string{"podgroups", "compositepodgroups"}

// withGroup settles the question about a pod that a scheduler takes only together with its group. The plain
// question about the pod becomes one about the group. Other questions make no sense then and are refused,
// except the one about a kubelet, whose answer does not depend on the group.
func (o *options) withGroup(c *outrank.Cluster, q *asking) (inquiry, error) {
	a, p := o.ask, q.pod
	if p.Group == "" || a == askOnNode || isDeferred(p) || !c.Release.Gates()[groupGate] {
		return a, nil
	}

	key := p.GroupKey()
	whole := fmt.Sprintf("pod %s is scheduled as a whole with its group %s", p.Key(), key)
	if !slices.ContainsFunc(c.Groups, func(g *outrank.PodGroup) bool { return g.Key() == key }) {
		return a, fmt.Errorf("%s, which the dump does not hold%s", whole, groupsNear(c, key))
	}

	if q.from != fromDump {
		return a, fmt.Errorf("%s, and not by itself; --pending NAMESPACE/NAME asks about the group of a pod that waits in the dump, "+
			"and --pending all about all that waits", whole)
	}
	if text := o.senseless(); text != "" {
		return a, fmt.Errorf("%s, and %s; --pending %s without that asks about the group", whole, text, p.Key())
	}
	return askGroup, nil
}

// senseless says why the question makes no sense for a pod of a group. It is empty if the question makes sense.
func (o *options) senseless() string {
	switch {
	case o.ask == askReplicas:
		return "--replicas asks about copies of a pod by itself"
	case o.ask == askLeast || o.ask == askLargest:
		return "this question is about a pod by itself"
	case o.ask == askWhyNot:
		return "--why-not asks about one node for a pod by itself, while the pods of a group may go to many"
	case o.about.across:
		return "--across looks for victims of a pod by itself only"
	case o.about.exact:
		return "--exact knows the best answer for a pod by itself only"
	case o.about.trace:
		return "--trace knows the steps for a pod by itself only"
	case o.set["replacements"]:
		return "--replacements follows the victims of a pod by itself"
	}
	return ""
}

// groupsNear says how to add groups to a dump without any, or names groups with similar names.
func groupsNear(c *outrank.Cluster, key outrank.Key) string {
	if len(c.Groups) == 0 {
		return "; add podgroups,compositepodgroups to kubectl get"
	}
	var known []string
	for _, g := range c.Groups {
		known = append(known, string(g.Key()))
	}

	near := nearNames(known, string(key))
	return ", though it holds others; a scheduler leaves the pod alone until there is one" + suggest("; near it: ", near[:min(len(near), mostNear)])
}

// aboutGroups warns of pods that name groups although the rules in force have none.
func aboutGroups(c *outrank.Cluster, q *asking) []Warning {
	if c.Release.Gates()[groupGate] {
		return nil
	}
	const how = "where the cluster has the feature gate " + groupGate + ", groups are scheduled as a whole: --release v1.37," + groupGate + "=true"

	if q != nil {
		if q.pod.Group == "" || isDeferred(q.pod) {
			return nil
		}
		return []Warning{{"pod " + string(q.pod.Key()), "spec.schedulingGroup",
			fmt.Sprintf("by the rules of %s the pod is scheduled by itself, whatever its group %s; %s", c.Release, q.pod.GroupKey(), how)}}
	}

	waiting := 0
	for _, p := range c.Pods {
		if isPending(p) && p.Group != "" {
			waiting++
		}
	}
	if waiting == 0 {
		return nil
	}
	return []Warning{dumpLacks("has %s of groups, and by the rules of %s each is scheduled by itself; %s", console.Plural(waiting, "pending pod"), c.Release, how)}
}

package main

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
)

// groupGate has the pods of a group scheduled as a whole, and victims leave with their
// groups.
const groupGate = "GenericWorkload"

// groupKinds are what a cluster with that gate has beside the usual kinds.
var groupKinds = []string{"podgroups", "compositepodgroups"}

// byItself refuses a question about one pod that a scheduler takes with its group alone. What
// the kubelet says to it does not depend on that.
func byItself(a inquiry, c *outrank.Cluster, q *asking) error {
	p := q.pod
	if p.Group == "" || a == askOnNode || isDeferred(p) || !c.Release.Gates()[groupGate] {
		return nil
	}
	key := p.GroupKey()
	if !slices.ContainsFunc(c.Groups, func(g *outrank.PodGroup) bool { return g.Key() == key }) {
		return fmt.Errorf("pod %s is scheduled as a whole with its group %s, which the dump does not hold; add podgroups,compositepodgroups to kubectl get", p.Key(), key)
	}
	if q.from != fromDump {
		return fmt.Errorf("pod %s is scheduled as a whole with its group %s, and not by itself; --pending all tells what becomes of the groups that wait in the dump", p.Key(), key)
	}
	return fmt.Errorf("pod %s is scheduled as a whole with its group %s, and not by itself; --pending all tells what becomes of the group", p.Key(), key)
}

// aboutGroups is about pods of groups by rules that know none.
func aboutGroups(c *outrank.Cluster, q *asking) []Warning {
	if c.Release.Gates()[groupGate] {
		return nil
	}
	const how = "where the cluster has the feature gate " + groupGate + ", groups are scheduled as a whole: --release v1.37," + groupGate + "=true --pending all"
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
	return []Warning{dumpLacks("has %s of groups, and by the rules of %s each is scheduled by itself; %s", plural(waiting, "pending pod"), c.Release, how)}
}

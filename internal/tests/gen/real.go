package gen

import (
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// The matrix of real clusters has a row for each kind of cluster that is slow somewhere in practice. Nobody tuned
// them for the engine: machines and pods are of many sizes, nodes are full, and pods have the labels, terms,
// volumes and devices that controllers and users give them.

// The ways in which a row is asked. Askers of all ways mean the same, so that the same pods leave for each of them.
const (
	// RealFirst is the first question ever about a fresh snapshot.
	RealFirst = "first"
	// RealPriority is a question by a pod whose priority was not seen before.
	RealPriority = "priority"
	// RealRules is a question by a pod whose selectors, labels or tolerations have names that were not seen before.
	RealRules = "rules"
	// RealSecond is the second question for a shape. The first is asked by the same asker right before it.
	RealSecond = "second"
	// RealKnown is a question for a shape that has been asked for often.
	RealKnown = "known"
	// RealChanged is a question for a known shape after a pod has changed.
	RealChanged = "changed"
)

// RealWays returns the ways in which rows are asked, in the order of tables.
func RealWays() []string {
	return []string{RealFirst, RealPriority, RealRules, RealSecond, RealKnown, RealChanged}
}

// RealCase is a row of the matrix of real clusters, of one size.
type RealCase struct {
	// Cluster holds everything but the preemptor. Its pods share labels and requests with each other, so that a
	// caller who changes a pod replaces its maps.
	Cluster *outrank.Cluster
	// Moving has two states of a running pod, for changes back and forth: first one with a later start, then the
	// present one.
	Moving [2]*outrank.Pod

	preemptor *outrank.Pod
	// name gives the preemptor rules that bear the given name and mean the same under every name.
	name func(p *outrank.Pod, name string)
}

// realRow is one row: change makes the common cluster that of the row, and name is RealCase.name.
type realRow struct {
	label  string
	change func(w *realWorld)
	name   func(p *outrank.Pod, name string)
}

// realKinds returns the rows in the order of tables.
func realKinds() []realRow {
	kinds := []realRow{{"mixed", func(*realWorld) {}, realLabelled}}
	return slices.Concat(kinds, realLabelRows, realResourceRows, realNodeRows, realVolumeRows, realQueueRows, openbRows())
}

// RealRows returns the names of the rows in the order of tables. Those that begin with openb are there if the
// environment variable OPENB names the folder of that trace.
func RealRows() (names []string) {
	for _, row := range realKinds() {
		names = append(names, row.label)
	}
	return names
}

// Real returns a row with that number of nodes, of about 30 pods each. The same arguments give the same case.
// It panics if there is no such row. Time is linear in the number of pods: about a second for 5,000 nodes.
func Real(row string, nodes int) *RealCase {
	kinds := realKinds()
	at := slices.IndexFunc(kinds, func(k realRow) bool { return k.label == row })
	if at < 0 {
		panic("no row " + row + " among real clusters")
	}

	w := newRealWorld(nodes)
	kinds[at].change(w)
	c := &RealCase{Cluster: w.cluster, preemptor: w.preemptor, name: kinds[at].name}

	// The pod that changes is in the middle, which has no part in the first or last steps of a search.
	running := len(w.cluster.Pods)
	for w.cluster.Pods[running-1].NodeName == "" {
		running--
	}
	was := w.cluster.Pods[running/2]
	later := *was
	later.StartTime = was.StartTime.Add(time.Second)
	c.Moving = [2]*outrank.Pod{&later, was}
	return c
}

// Asker returns the pod that asks in a way for the time i, from 0 on. Priorities repeat after a thousand times. The
// pods of [RealFirst], [RealKnown] and [RealChanged] are the same whatever i is.
func (c *RealCase) Asker(way string, i int) *outrank.Pod {
	p, name := *c.preemptor, "one"
	switch way {
	case RealPriority:
		// No pod that runs has a priority between the least of these and the preemptor's own.
		p.Priority = outrank.Priority(*p.Priority - 1 - int32(i%realPriorities))
	case RealRules:
		name = fmt.Sprint("rules-", i)
	case RealSecond:
		name = fmt.Sprint("second-", i)
	}
	c.name(&p, name)
	return &p
}

// realAsking is the priority of the preemptor, and realPriorities the number of priorities from there down that no
// other pod has but those of its own Deployment.
const realAsking, realPriorities = 50_000, 1000

// realLabelled gives the preemptor what every new ReplicaSet brings along, a label with a hash, and a toleration of a
// taint that no node has.
func realLabelled(p *outrank.Pod, name string) {
	realHash(p, name)
	p.Tolerations = append(slices.Clip(p.Tolerations), outrank.Toleration{Key: "absent-" + name, Operator: outrank.TolerationExists})
}

// realHash gives the preemptor a label with a hash.
func realHash(p *outrank.Pod, name string) { p.Labels = withLabels(p.Labels, realHashKey, name) }

// realSelector selects the pods whose label has the value, or another that no pod has.
func realSelector(key, value, name string) *outrank.LabelSelector {
	return &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{
		{Key: key, Operator: outrank.In, Values: []string{value, "absent-" + name}},
	}}
}

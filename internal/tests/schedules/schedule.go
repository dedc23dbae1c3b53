package schedules

import (
	"fmt"
	"strings"
	"time"
)

// Schedule is what happens in a small cluster, and when. It is plain data, so that it can be printed and shrunk.
type Schedule struct {
	// Background says that plans are carried out beside the next attempts, as kube-scheduler does by default,
	// and not within the attempt.
	Background bool
	// Parallel is how many victims of a plan are evicted at a time.
	Parallel int
	// Standby says that a second process follows the cluster, ready to lead.
	Standby bool
	Nodes   []Node
	Pods    []Pod // those that are there in the beginning
	Events  []Event
}

// Node is a node with so many cores.
type Node struct {
	Name string
	CPU  int64
}

// Pod is a pod as the API server has it.
type Pod struct {
	Name, UID string
	Priority  int32
	CPU       int64
	// Profile is the name of the pod's scheduler. Pods of the profile Meek never preempt.
	Profile string
	// Node is empty for a pod that waits, and Nominated for one for which no room is being made.
	Node, Nominated string
	// Leaves says that the pod's deletion has been asked for. It is gone after Grace.
	Leaves bool
	// Preempted says that it was asked for to make room.
	Preempted bool
	Grace     time.Duration
	// Told is why the pod was not scheduled, empty if it was not told.
	Told string
	// Version grows with each change of anything on the server.
	Version int
}

// The profiles of pods. Both are served by one scheduler.
const (
	Usual = "default-scheduler"
	Meek  = "meek"
)

// Event is something that happens a while After the event before it. What says which of the other fields count.
type Event struct {
	After time.Duration
	What  string
	Pod   Pod           // for a pod that comes, or its name
	Node  Node          // for a node that comes, or its name
	Op    string        // the call that goes wrong
	Delay time.Duration // of a call or a watch
}

// What can happen.
const (
	PodComes   = "pod"
	PodDeleted = "delete"
	NodeComes  = "node"
	NodeGoes   = "remove"
	// Call says that the next call of an operation for a pod goes wrong in the way that Event.Op names after it.
	Fault = "call"
	// PodsLag and NodesLag delay what watches deliver from then on.
	PodsLag  = "pods-lag"
	NodesLag = "nodes-lag"
	// Again delivers the known version of a pod once more.
	Again = "again"
	// WatchBreaks loses what was not delivered yet. A second later everything is listed anew.
	WatchBreaks = "watch-breaks"
	// Restart ends the process that leads, and starts another that knows nothing.
	Restart = "restart"
	// Lead makes the standby lead. The process that led notices after Delay.
	Lead = "lead"
)

// String returns the schedule as a scenario.
func (s *Schedule) String() string {
	var b strings.Builder
	how := "within-the-attempt"
	if s.Background {
		how = "in-the-background"
	}
	fmt.Fprintf(&b, "plans %s parallel=%d", how, s.Parallel)
	if s.Standby {
		b.WriteString(" standby")
	}
	b.WriteString("\n")
	for _, n := range s.Nodes {
		fmt.Fprintf(&b, "node %s cpu=%d\n", n.Name, n.CPU)
	}
	for i := range s.Pods {
		fmt.Fprintf(&b, "pod %v\n", &s.Pods[i])
	}
	at := time.Duration(0)
	for i := range s.Events {
		at += s.Events[i].After
		fmt.Fprintf(&b, "at %-6v %v\n", at, &s.Events[i])
	}
	return b.String()
}

// String returns the pod as a scenario has it.
func (p *Pod) String() string {
	text := fmt.Sprintf("%s uid=%s", p.Name, p.UID)
	if p.Node != "" {
		text += " node=" + p.Node
	}
	text += fmt.Sprintf(" priority=%d cpu=%d grace=%v", p.Priority, p.CPU, p.Grace)
	if p.Profile != Usual {
		text += " scheduler=" + p.Profile
	}
	return text
}

// String returns the event as a scenario has it.
func (e *Event) String() string {
	switch e.What {
	case PodComes:
		return "pod " + e.Pod.String()
	case PodDeleted, Again:
		return e.What + " " + e.Pod.Name
	case NodeComes:
		return fmt.Sprintf("node %s cpu=%d", e.Node.Name, e.Node.CPU)
	case NodeGoes:
		return "remove " + e.Node.Name
	case Fault:
		return fmt.Sprintf("call %s %s delay=%v", e.Op, e.Pod.Name, e.Delay)
	case PodsLag, NodesLag, Lead:
		return fmt.Sprintf("%s %v", e.What, e.Delay)
	}
	return e.What
}

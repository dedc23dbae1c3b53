package filter

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

// Entry is everything that this module knows about a filter, except its two checks: those of the book and of
// the engine are written separately, so that each can be wrong alone.
type Entry struct {
	// Name is the name in the reference.
	Name string
	// Reads says what the filter looks at.
	Reads Reads

	// Fails has the ways in which the filter can fail.
	Fails Failures
	// Gains reports whether a filter that passes goes on passing whichever pods leave the node and, with far,
	// other nodes as well (rule 13.4.4). Nil means that this is not known.
	Gains func(pod *outrank.Pod, far bool) bool
	// Conclusive has the failures that more pods on the node cannot mend: a node that fails so with some pods
	// away also fails with them back.
	Conclusive Failures
	// Signature writes everything that the filter reads of a pod that looks for a place. A node gives pods with
	// equal signatures the same answer. It is nil for a filter that counts other pods. The check of such a
	// filter in the engine writes what it reads of the pod together with what it counts; otherwise the engine
	// remembers no answer to a pod that the filter has something to say about.
	Signature func(w Writer, pod *outrank.Pod)

	// Names says how an explanation of a failure writes the names that it gives, if it gives any.
	Names NamesOf
	// Helped are the events that may help a pod which the filter kept off a node, because they change something
	// that the filter looks at.
	Helped []string
	// LooksAt returns the parts of the pod itself that the filter looks at. A change of anything else in the pod
	// cannot help it.
	LooksAt func(p *outrank.Pod) []any

	// Draw makes random cases that matter to the filter.
	Draw Draw
}

// Reads says which objects can matter to the answer of the filter. It need not be asked about others.
type Reads struct {
	// Pod reports whether the filter can turn a pod away because of something that the pod asks for. If it is
	// nil, a filter of nodes looks only at what the node asks for, and a filter that counts pods may concern
	// any pod.
	Pod func(pod *outrank.Pod) bool
	// Node reports whether the filter can turn a pod away from the node that asks for nothing in particular. If
	// it is nil, no node does that.
	Node func(node *outrank.Node) bool
	// Running reports whether a pod on a node can matter to the answer to another pod. If it is nil, the filter
	// looks at no other pods, or finds them itself.
	Running func(pod *outrank.Pod) bool
}

// NamesOf says how the names of things in the way are written.
type NamesOf struct {
	// Member is the member of documents that has the names.
	Member string
	// Text is a sentence about the list of the names or, with Each set, about each of them.
	Text string
	Each bool
}

// Failures is a set of ways in which a filter fails.
type Failures int

// The failures: those that preemption may mend, those that it cannot mend, and both.
const (
	CurableFailure Failures = 1 << iota
	IncurableFailure
	AnyFailure = CurableFailure | IncurableFailure
)

// Has reports whether f has all failures of others.
func (f Failures) Has(others Failures) bool { return f&others == others }

// Writer takes the parts of a signature. Different lists of parts make different signatures.
type Writer interface {
	Number(n int)
	Flag(v bool)
	Text(text string)
	Texts(texts []string)
	Labels(labels map[string]string)
	NodeSelector(selector *outrank.NodeSelector)
}

// always is the Gains of a filter from which other pods only take room.
func always(*outrank.Pod, bool) bool { return true }

// Draw makes random parts of a cluster that a filter looks at. A nil function draws nothing.
type Draw struct {
	// Topic is the subject that shapes of clusters ask for these parts by.
	Topic Topic
	// Running adds to a pod that runs, or is nominated, what the filter counts of other pods.
	Running func(s draw.Source, p *outrank.Pod)
	// Asking adds to a pod that looks for a place what the filter reads of it. nodes has the names of the nodes in
	// the cluster.
	Asking func(s draw.Source, nodes draw.Nodes, p *outrank.Pod)
	// Node adds to a node what the filter reads of it. The labels of draw.Topology are there already.
	Node func(s draw.Source, n *outrank.Node)
	// Room is set where many nodes need room for the pod that asks. Without it resources would decide before the
	// filter does.
	Room bool
}

// Topic is a subject that shapes of clusters have a field for. Filters that read the same parts of pods share
// one.
type Topic string

// The topics. Rest is the topic of entries that name none.
const (
	Rest      Topic = ""
	Taints    Topic = "Taints"
	Selectors Topic = "Selectors"
	Ports     Topic = "Ports"
	Affinity  Topic = "Affinity"
	Spread    Topic = "Spread"
	Volumes   Topic = "Volumes"
	Features  Topic = "Features"
)

// Topics are the topics that a shape asks for.
type Topics map[Topic]bool

// Drawn returns the entries whose draws belong to these topics.
func (topics Topics) Drawn() []*Entry {
	return slices.DeleteFunc(Entries(), func(e *Entry) bool { return !topics[e.Draw.Topic] })
}

// alike returns a function for Asking that draws the same as one for Running.
func alike(running func(draw.Source, *outrank.Pod)) func(draw.Source, draw.Nodes, *outrank.Pod) {
	return func(s draw.Source, _ draw.Nodes, p *outrank.Pod) { running(s, p) }
}

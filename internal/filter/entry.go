package filter

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

// Entry is everything that this module knows about a filter, except its two checks. Package preemption and its
// engine each have a check of their own, written separately, so that tests can compare them.
type Entry struct {
	// Name is the name of the filter in the reference.
	Name string
	// Reads says what the filter looks at.
	Reads Reads

	// Fails is the set of ways in which the filter can fail.
	Fails Failures
	// Gains reports whether a filter that passes a pod still passes it after any pods have left the node and,
	// with far, other nodes as well (rule 13.4.4). Nil means that this is not known.
	Gains func(pod *outrank.Pod, far bool) bool
	// Conclusive is the set of failures that more pods on the node cannot mend: if the node fails in such a way
	// without some pods, it also fails with them.
	Conclusive Failures
	// Signature writes everything that the filter reads of a pod that looks for a place. A node gives pods with
	// equal signatures the same answer. It is nil for a filter that counts other pods. The engine's check of
	// such a filter writes what it reads of the pod together with its counts; if it does not, the engine
	// remembers no answers about pods that the filter does not skip.
	Signature func(w Writer, pod *outrank.Pod)

	// Names says how the explanation of a failure writes the names of things in the way, if it has any.
	Names NamesOf
	// Helped says which events may help a pod that the filter kept off a node, because they change
	// something that the filter looks at, and of each when it does.
	Helped Hints

	// Draw makes random cases that matter to the filter.
	Draw Draw
}

// Reads says which objects can matter to the answer of the filter. The filter need not be asked about others.
type Reads struct {
	// Pod reports whether the filter can turn a pod away because of something that the pod requests. If it is
	// nil, a filter of nodes looks only at demands of the node (see Node), and a filter that counts pods may
	// concern any pod.
	Pod func(pod *outrank.Pod) bool
	// Node reports whether the filter can turn a pod without any special requests away from the node, for
	// example by a taint. If it is nil, no node does that.
	Node func(node *outrank.Node) bool
	// Running reports whether a pod on a node can matter to the answer to another pod. If it is nil, the filter
	// looks at no other pods, or finds them itself.
	Running func(pod *outrank.Pod) bool
}

// NamesOf says how an explanation writes the names of the things that made a filter fail.
type NamesOf struct {
	// Member is the name of the JSON member that lists the names.
	Member string
	// Text is a sentence about the list of the names or, with Each set, about each of them.
	Text string
	Each bool
}

// Failures is a set of ways in which a filter fails.
type Failures int

// CurableFailure is a failure that preemption may mend, IncurableFailure one that it cannot mend.
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

// always is the Gains of a filter for which other pods can only be in the way.
func always(*outrank.Pod, bool) bool { return true }

// Draw makes random parts of pods and nodes that a filter looks at, for tests. A nil function draws nothing.
type Draw struct {
	// Topic is the feature of a generated cluster to which these parts belong.
	Topic Topic
	// Running adds to a pod that runs, or is nominated, the parts that the filter counts for other pods.
	Running func(s draw.Source, p *outrank.Pod)
	// Asking adds to a pod that looks for a place the parts that the filter reads of it. nodes has the names of
	// the nodes in the cluster.
	Asking func(s draw.Source, nodes draw.Nodes, p *outrank.Pod)
	// Node adds to a node the parts that the filter reads of it. The labels of draw.Topology are there already.
	Node func(s draw.Source, n *outrank.Node)
	// Room says that many nodes of a cluster with this topic must have room for the pod. Otherwise resources
	// would decide before the filter does.
	Room bool
}

// Topic is a feature of generated clusters that a shape can select. Filters that read the same parts of pods
// share one.
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

// Topics is the set of topics that a shape selects.
type Topics map[Topic]bool

// Drawn returns the entries whose draws belong to these topics.
func (topics Topics) Drawn() []*Entry {
	return slices.DeleteFunc(Entries(), func(e *Entry) bool { return !topics[e.Draw.Topic] })
}

// alike returns a function for Draw.Asking that draws the same as a function for Draw.Running.
func alike(running func(draw.Source, *outrank.Pod)) func(draw.Source, draw.Nodes, *outrank.Pod) {
	return func(s draw.Source, _ draw.Nodes, p *outrank.Pod) { running(s, p) }
}

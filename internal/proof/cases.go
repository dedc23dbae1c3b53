package proof

// Case is a question to the scheduler in the words of the model (words.dfy, attempt.dfy). The names of types and the
// order of fields are those of the datatypes there.
type Case struct {
	Cluster Cluster
	Pod     Pod
	Now     int
	Ranks   []Word
}

// Cluster is a datatype of words.dfy, and so are the types up to Rules.
type Cluster struct {
	Nodes   []Node
	Pods    []Pod
	Budgets []Budget
	Rules   Rules
}

// Node is a node; its place in the list is its name.
type Node struct {
	CPU, Memory, Pods int
	Cordoned          bool
}

// Pod is a pod. A place of -1 is none, and so are a start and an app of 0.
type Pod struct {
	Name, Node, Nominated             int
	Priority, Start, CPU, Memory, App int
	Never, Terminating, Preempted     bool
	Gated, Finished                   bool
}

// Budget selects pods by their apps.
type Budget struct {
	Name      int
	Apps      Set
	Allowed   int
	Disrupted Set
}

// Rules says what depends on the release.
type Rules struct{ BudgetsStopAtFirst, GatedNominations bool }

// Word is a constructor without fields: a code, an outcome, a rank.
type Word string

// Set is a set of numbers, in ascending order.
type Set []int

// Decision is the answer of the model to a case.
type Decision struct {
	Outcome, Ineligible Word
	// Before has the answers of the nodes before any pod leaves.
	Before []Word
	// Node is the place of the best candidate, -1 if nobody leaves.
	Node int
	// Candidates has all candidates, also where none is needed, in the order of the nodes.
	Candidates []Candidate
}

// Candidate is a node with its victims, the most important first.
type Candidate struct {
	Node    int
	Victims []Victim
	Score   Score
}

// Victim is the name of a pod, with the names of the budgets that its loss violates.
type Victim struct {
	Name     int
	Violated []int
}

// Score has the figures by which candidates are compared.
type Score struct {
	Violations, TopPriority int
	PrioritySum             int64 // beyond 32 bits
	Victims, Start          int
}

// Admission is a question to the kubelet in the words of kubelet.dfy.
type Admission struct {
	Node   Machine
	Active []Active
	Pod    Active
}

// Machine is a node of the kubelet.
type Machine struct {
	Pods, CPU, Memory int
	Tainted           bool
}

// Active is a pod on the node, or the one to be admitted. Tier is 0 for BestEffort, 1 for Burstable and 2 for
// Guaranteed.
type Active struct {
	Name              int
	HasPriority       bool
	Priority          int
	StaticPod         bool
	Tier, CPU, Memory int
}

// Need is an amount of a resource.
type Need struct {
	Resource Word
	Amount   int
}

// Admitted is the answer of the model to an admission.
type Admitted struct {
	Outcome Word
	Missing []Need
	// Evictions has the names of the pods of each tier, in the order in which they are chosen.
	Evictions [][]int
}

package inverse

import (
	"cmp"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/priority"
)

// MostLevels is the most priorities that are tried.
const MostLevels = 256

// LeastPriority says which is the least priority that is enough for a pod, or for all pods of a workload.
type LeastPriority struct {
	Pod question.Pod `json:"pod"`
	// Workload names the object that makes the pods, if the question is about all of them. Pods is their
	// number.
	Workload string `json:"workload,omitempty"`
	Pods     int    `json:"pods"`
	// ForPlace is the least priority that is enough to find a place, by pushing out others if necessary.
	// ForNobody is the least with which no pod is pushed out, either. One less was tried and is not enough,
	// unless there is no lower priority. They are nil if no priority is enough.
	ForPlace  *Enough `json:"forPlace,omitempty"`
	ForNobody *Enough `json:"forNobody,omitempty"`
	// Levels has the priorities at which the answer can change, with the outcome of each. Most is the highest
	// priority that the pod can have, and no level is above it.
	Levels []Level `json:"levels"`
	Most   int32   `json:"most"`
	// Untried counts the levels that were left out because there are too many. Then a priority below the least
	// one found may be enough, too.
	Untried int `json:"untried,omitempty"`
	// Instead is the least class that is enough with its own policy. It is set if the pod's policy keeps it
	// from pushing out others and no priority is enough.
	Instead *Enough `json:"instead,omitempty"`
	// Waiting is the turn of the pod with the highest priority that was tried, if no priority is enough.
	Waiting *question.Turn `json:"waiting,omitempty"`
}

// Enough is a priority that is enough.
type Enough struct {
	Level
	// Class is the class with the least value that is enough, if there is any, and Value is its value.
	Class string `json:"class,omitempty"`
	Value int32  `json:"value,omitempty"`
	// With says what becomes of the pods with that class.
	With *Level `json:"with,omitempty"`
	// NotAbove lists higher levels that are not enough.
	NotAbove []int32 `json:"notAbove,omitempty"`
}

// Level says what becomes of the pods with a priority.
type Level struct {
	Priority int32 `json:"priority"`
	// Placed counts the pods that find a place. Node is the place if there is a single pod. Victims lists the
	// pods that are pushed out for them.
	Placed  int               `json:"placed"`
	Node    string            `json:"node,omitempty"`
	Victims []question.Victim `json:"victims"`

	// turn is the turn of the pod, or of the first pod of the workload that finds no place.
	turn *question.Turn
}

// Asked is a pod or a workload that a search tries with several priorities.
type Asked struct {
	Pod *outrank.Pod
	// Workload makes copies of the pod. It is nil if the question is about the pod alone.
	Workload *question.Workload
	// Show, if set, is called with the progress.
	Show func(done, total int)
}

// AskLeastPriority answers which is the least priority with which a pod, or every pod of a workload, finds a
// place after the changes of a scenario, and which is the least with which no pod is pushed out for it. It
// tries the priorities at which the answer can change, at most [MostLevels] of them. If the scenario has
// changes, all pods that a scheduler takes before the pod have their turns first. Running pods of the same
// controller that have at least the pod's own priority get the higher priority with it, as they do once their
// controller recreates them, so that none of them is a victim.
//
// Errors are those of the scenario's questions. They wrap [outrank.ErrInvalid] for a pod that cannot be
// asked about by itself. The scenario does not change.
func AskLeastPriority(s *question.Scenario, a Asked) (*LeastPriority, error) {
	if err := s.Alone(a.Pod); err != nil {
		return nil, err
	}
	l := &ladder{Scenario: s, asked: a, known: map[rung]Level{}, triesLeft: MostLevels, most: mostOf(a.Pod)}
	out := &LeastPriority{Pod: question.NameOf(a.Pod, ""), Pods: 1, Levels: []Level{}, Most: l.most}
	if err := l.tryLevels(out); err != nil {
		return nil, err
	}
	if w := a.Workload; w != nil {
		out.Workload, out.Pods = w.String(), l.pods
	}

	placed := func(level *Level) bool { return level.Placed == l.pods }
	var err error
	if out.ForPlace, err = l.least(out.Levels, placed); err != nil {
		return nil, err
	}
	out.ForNobody, err = l.least(out.Levels, func(level *Level) bool { return placed(level) && level.fresh() == 0 })
	if err != nil {
		return nil, err
	}
	if out.ForPlace != nil {
		return out, nil
	}

	// A pod whose policy forbids it to push others out may still find a place with a class that allows it.
	// Classes of any value are tried, because no priority is enough with the pod's own policy.
	out.Waiting = out.Levels[len(out.Levels)-1].turn
	if a.Pod.PreemptionPolicy != outrank.PreemptNever {
		return out, nil
	}
	e := &Enough{Level: Level{Priority: math.MinInt32, Victims: []question.Victim{}}}
	if err := l.findClass(e, placed); err != nil || e.Class == "" {
		return out, err
	}
	out.Instead = e
	return out, nil
}

// tryLevels tries the priorities at which the answer can change. Half of the tries are reserved for the
// priorities between levels, and for classes.
func (l *ladder) tryLevels(out *LeastPriority) error {
	levels := l.levels()
	if len(levels) > MostLevels/2 {
		out.Untried = len(levels) - MostLevels/2
		levels = spaced(levels, MostLevels/2)
	}

	for i, p := range levels {
		level, err := l.try(rung{p, l.pod().PreemptionPolicy})
		if err != nil {
			return err
		}
		out.Levels = append(out.Levels, level)
		if l.asked.Show != nil {
			l.asked.Show(i+1, len(levels))
		}
	}
	return nil
}

// Free reports whether the least priority that is enough for a place needs no pod to leave.
func (l *LeastPriority) Free() bool {
	return l.ForPlace != nil && l.ForPlace.fresh() == 0
}

// fresh counts the victims that were not leaving already.
func (l *Level) fresh() (n int) {
	for i := range l.Victims {
		if !l.Victims[i].Terminating {
			n++
		}
	}
	return n
}

// rung is a priority together with a policy.
type rung struct {
	priority int32
	policy   outrank.PreemptionPolicy
}

// ladder is a search among priorities.
type ladder struct {
	*question.Scenario
	asked Asked
	// known has the outcomes of the rungs that were tried.
	known map[rung]Level
	// pods is the number of pods that need a place. Each try sets it.
	pods int
	// triesLeft is the number of tries that are left. Only the search for a class checks it: levels and the
	// search between them stay below the bound anyway.
	triesLeft int
	// most is the highest priority that the pod can have.
	most int32
}

// mostOf returns the highest priority that a pod can have. Priorities above the highest one for users belong to
// the classes of the system.
func mostOf(p *outrank.Pod) int32 {
	if ofSystem(p) {
		return priority.NodeCritical
	}
	return priority.UserMax
}

// ofSystem reports whether a pod may have a class of the system.
func ofSystem(p *outrank.Pod) bool {
	return p.NamespaceName() == "kube-system" || p.PriorityValue() > priority.UserMax
}

// levels lists the priorities at which the answer can change, in ascending order: the lowest of all, the
// priority above each one that a pod counts with, and the pod's own. Between two levels, the possible victims
// are the same.
func (l *ladder) levels() []int32 {
	pod := l.pod()
	found := map[int32]bool{math.MinInt32: true, min(pod.PriorityValue(), l.most): true}

	// With changes other pods have their turns first, at an equal priority those that come first by name. So an
	// equal priority is a level, too.
	add := func(p int32) {
		if l.Changed() {
			found[p] = true
		}
		if p < math.MaxInt32 {
			found[p+1] = true
		}
	}

	// These are the priorities of possible victims, and of pods for which room is reserved.
	snap := l.Snapshot()
	for n := range snap.Nodes() {
		for _, p := range snap.PodsOn(n.Name) {
			add(snap.CountsAs(p))
		}
		for _, p := range snap.NominatedTo(n.Name) {
			add(snap.CountsAs(p))
		}
	}

	// These are the priorities of waiting pods, and of pods that are recreated with the value of their class.
	if l.Changed() {
		for p := range snap.Pods() {
			add(p.PriorityValue())
		}
		for _, c := range l.Cluster().Classes {
			add(c.Value)
		}
	}

	var out []int32
	for p := range found {
		if p <= l.most {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

// pod returns the pod in question with its own priority.
func (l *ladder) pod() *outrank.Pod { return l.asked.Pod }

// spaced returns n evenly spaced levels, including the lowest and the highest.
func spaced(levels []int32, n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = levels[i*(len(levels)-1)/(n-1)]
	}
	return out
}

// least finds the first of the levels that is enough, and the least priority below it that still is. It also
// finds a class for it, and the higher levels that are not enough. It returns nil if no level is enough.
func (l *ladder) least(levels []Level, enough func(*Level) bool) (*Enough, error) {
	first := slices.IndexFunc(levels, func(level Level) bool { return enough(&level) })
	if first < 0 {
		return nil, nil
	}
	found := levels[first]
	if first > 0 {
		var err error
		if found, err = l.between(levels[first-1].Priority, found, enough); err != nil {
			return nil, err
		}
	}

	out := &Enough{Level: found}
	for i := range levels[first+1:] {
		if above := &levels[first+1+i]; !enough(above) {
			out.NotAbove = append(out.NotAbove, above.Priority)
		}
	}
	return out, l.findClass(out, enough)
}

// between finds a priority that is enough while one less is not, above tooLow, which is not enough, and up to
// found, which is. If all levels were tried, one less than found is not enough, which ends the search at once.
// Otherwise the search halves the interval; the shift rounds down for negative numbers, too.
func (l *ladder) between(tooLow int32, found Level, enough func(*Level) bool) (Level, error) {
	policy := l.pod().PreemptionPolicy
	not := int64(tooLow)
	for next := int64(found.Priority) - 1; next > not; next = (not + int64(found.Priority)) >> 1 {
		level, err := l.try(rung{int32(next), policy})
		if err != nil {
			return found, err
		}
		if enough(&level) {
			found = level
		} else {
			not = next
		}
	}
	return found, nil
}

// findClass finds the class with the least value that is enough with its own policy, among the classes from the
// priority of out upwards. It gives up when no tries are left.
func (l *ladder) findClass(out *Enough, enough func(*Level) bool) error {
	var classes []*outrank.PriorityClass
	for _, c := range l.Cluster().Classes {
		if c.Value >= out.Priority && c.Value <= l.most {
			classes = append(classes, c)
		}
	}
	slices.SortFunc(classes, func(a, b *outrank.PriorityClass) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Name, b.Name))
	})

	for _, c := range classes {
		if l.triesLeft <= 0 {
			return nil
		}
		level, err := l.try(rung{c.Value, c.PreemptionPolicy})
		if err != nil {
			return err
		}
		if enough(&level) {
			out.Class, out.Value, out.With = c.Name, c.Value, &level
			return nil
		}
	}
	return nil
}

// try returns what becomes of the pods with a priority and a policy. Each rung is played once.
func (l *ladder) try(at rung) (Level, error) {
	if level, tried := l.known[at]; tried {
		return level, nil
	}
	l.triesLeft--

	f := l.Fork()
	f.Watch(nil)
	pod := *l.pod()
	pod.Priority, pod.PreemptionPolicy = &at.priority, at.policy
	var level Level
	var err error
	if l.asked.Workload != nil {
		level, err = l.tryWorkload(f, &pod)
	} else {
		level, err = l.tryPod(f, &pod)
	}
	l.known[at] = level
	return level, err
}

// tryPod plays the turn of a single pod in a fork.
func (l *ladder) tryPod(f *question.Scenario, pod *outrank.Pod) (Level, error) {
	l.pods = 1
	if err := l.raiseCopies(f, pod); err != nil {
		return Level{}, err
	}

	// Without changes the pod is asked about as things are. With changes it has its place in the line.
	if _, waits := f.Snapshot().Pod(pod.Key()); waits {
		if err := f.Put(pod); err != nil {
			return Level{}, err
		}
	}
	if f.Changed() {
		if _, err := f.Before(pod); err != nil {
			return Level{}, err
		}
	}

	t, err := f.Turn(pod)
	out := Level{Priority: pod.PriorityValue(), Victims: []question.Victim{}, turn: &t}
	if t.Places() {
		out.Placed, out.Node, out.Victims = 1, t.Node, append(out.Victims, t.Victims...)
	}
	return out, err
}

// raiseCopies gives the other pods of the pod's controller the priority that is tried, if it is higher than
// theirs and they have at least the pod's own.
func (l *ladder) raiseCopies(f *question.Scenario, pod *outrank.Pod) error {
	own := l.pod().PriorityValue()
	if pod.Owner == (outrank.Owner{}) || pod.PriorityValue() <= own {
		return nil
	}

	var copies []*outrank.Pod
	for p := range f.Snapshot().Pods() {
		if p.Owner == pod.Owner && p.NamespaceName() == pod.NamespaceName() && p.Key() != pod.Key() &&
			p.PriorityValue() >= own && p.PriorityValue() < pod.PriorityValue() {
			copies = append(copies, p)
		}
	}
	for _, p := range copies {
		again := *p
		again.Priority = pod.Priority
		again.NodeName, again.NominatedNodeName = f.Snapshot().NodeOf(p.Key()), f.Snapshot().NominationOf(p.Key())
		if err := f.Put(&again); err != nil {
			return err
		}
	}
	return nil
}

// tryWorkload creates the workload's pods in a fork, and plays all turns down to their priority.
func (l *ladder) tryWorkload(f *question.Scenario, pod *outrank.Pod) (Level, error) {
	w := *l.asked.Workload
	w.Pod = pod
	if err := f.Apply(&question.AddPods{Of: "the search for a priority", Workload: w}); err != nil {
		return Level{}, err
	}
	a, err := f.Down(pod.PriorityValue())
	if err != nil {
		return Level{}, err
	}

	// The workload that was added last is the one in question.

	out := Level{Priority: pod.PriorityValue(), Victims: []question.Victim{}}
	fate := &a.Workloads[len(a.Workloads)-1]
	l.pods, out.Placed = fate.Pods, fate.Placed+fate.PushesOut

	for i := range a.Moves {
		m := &a.Moves[i]
		if m.Workload != fate.Workload || m.Origin != question.New {
			continue
		}
		out.Victims = append(out.Victims, m.Victims...)
		if !m.Places() && out.turn == nil {
			out.turn = &m.Turn
		}
	}
	return out, nil
}

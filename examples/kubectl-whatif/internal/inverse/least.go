package inverse

import (
	"cmp"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/priority"
)

// MostLevels is how many priorities are tried at most.
const MostLevels = 256

// LeastPriority is the least priority that is enough for a pod, or for all pods of a workload.
type LeastPriority struct {
	Pod question.Pod `json:"pod"`
	// Workload makes the pods, Pods of them, where the question is about more than one.
	Workload string `json:"workload,omitempty"`
	Pods     int    `json:"pods"`
	// ForPlace is enough to find a place, by pushing out others if need be, and ForNobody is
	// enough for nobody to be pushed out either. By one less it is not, which was tried; what
	// has no less is the least priority that there is. They are nil where none is enough.
	ForPlace  *Enough `json:"forPlace,omitempty"`
	ForNobody *Enough `json:"forNobody,omitempty"`
	// Levels are the priorities at which the answer can change, up to the highest that the pod
	// can have, with what came of each; Most is that highest.
	Levels []Level `json:"levels"`
	Most   int32   `json:"most"`
	// Untried counts levels that were left out because there are too many: a lower one than the
	// least that was found may do.
	Untried int `json:"untried,omitempty"`
	// Instead is the least class that is enough with its own policy, for a pod whose policy keeps
	// it from pushing out others, where no priority is.
	Instead *Enough `json:"instead,omitempty"`
	// Waiting is the turn of the pod with the highest priority, where none is enough.
	Waiting *question.Turn `json:"waiting,omitempty"`
}

// Enough is a priority that is enough.
type Enough struct {
	Level
	// Class is the class of the least value with which it is enough, if there is any.
	Class string `json:"class,omitempty"`
	Value int32  `json:"value,omitempty"`
	// With is what becomes of the pods in that class.
	With *Level `json:"with,omitempty"`
	// NotAbove are higher levels that are not enough.
	NotAbove []int32 `json:"notAbove,omitempty"`
}

// Level is what becomes of the pods with a priority.
type Level struct {
	Priority int32 `json:"priority"`
	// Placed is how many find a place, on Node where it is one pod, and Victims are pushed out
	// for them.
	Placed  int               `json:"placed"`
	Node    string            `json:"node,omitempty"`
	Victims []question.Victim `json:"victims"`

	turn *question.Turn
}

// Asked is a pod, or a workload, that a search tries in several ways.
type Asked struct {
	Pod *outrank.Pod
	// Workload makes copies of the pod; nil where the question is about the pod alone.
	Workload *question.Workload
	// Show is told of the progress; nil for nobody.
	Show func(done, total int)
}

// AskLeastPriority answers which priority is the least with which a pod finds a place after the
// changes of a scenario, or every pod of a workload, and with which nobody is pushed out for it.
// It tries the priorities at which the answer can change, at most [MostLevels] of them. Where the
// scenario has changes, whatever a scheduler takes before the pod has its turn first. Pods of
// the same controller that run with at least the pod's own priority get the higher one with it,
// as they do once their controller recreates them, so that none of them is a victim.
//
// Errors are those of the scenario's questions, and wrap [outrank.ErrInvalid] for a pod that
// is not asked about by itself. The scenario stays as it is.
func AskLeastPriority(s *question.Scenario, a Asked) (*LeastPriority, error) {
	if err := s.Alone(a.Pod); err != nil {
		return nil, err
	}
	l := &ladder{Scenario: s, asked: a, known: map[rung]Level{}, triesLeft: MostLevels, most: mostOf(a.Pod)}
	out := &LeastPriority{Pod: question.NameOf(a.Pod, ""), Pods: 1, Levels: []Level{}, Most: l.most}
	levels := l.levels()
	if len(levels) > MostLevels/2 {
		out.Untried = len(levels)
		levels = spaced(levels, MostLevels/2)
		out.Untried -= len(levels)
	}
	for i, at := range levels {
		level, err := l.try(rung{at, a.Pod.PreemptionPolicy})
		if err != nil {
			return nil, err
		}
		out.Levels = append(out.Levels, level)
		if a.Show != nil {
			a.Show(i+1, len(levels))
		}
	}
	if w := a.Workload; w != nil {
		out.Workload, out.Pods = w.String(), l.pods
	}
	for _, find := range []struct {
		into   **Enough
		enough func(*Level) bool
	}{
		{&out.ForPlace, func(at *Level) bool { return at.Placed == l.pods }},
		{&out.ForNobody, func(at *Level) bool { return at.Placed == l.pods && at.fresh() == 0 }},
	} {
		enough, err := l.least(out.Levels, find.enough)
		if err != nil {
			return nil, err
		}
		*find.into = enough
	}
	if out.ForPlace != nil {
		return out, nil
	}
	out.Waiting = out.Levels[len(out.Levels)-1].turn
	if a.Pod.PreemptionPolicy != outrank.PreemptNever {
		return out, nil
	}
	e := &Enough{Level: Level{Priority: math.MinInt32, Victims: []question.Victim{}}}
	if err := l.findClass(e, func(at *Level) bool { return at.Placed == l.pods }); err != nil || e.Class == "" {
		return out, err
	}
	out.Instead = e
	return out, nil
}

// Free reports whether nobody has to leave with the least priority that is enough.
func (l *LeastPriority) Free() bool {
	return l.ForPlace != nil && l.ForPlace.fresh() == 0
}

// fresh counts the victims that would not leave otherwise.
func (l *Level) fresh() (n int) {
	for i := range l.Victims {
		if !l.Victims[i].Terminating {
			n++
		}
	}
	return n
}

// rung is a priority with a policy.
type rung struct {
	priority int32
	policy   outrank.PreemptionPolicy
}

// ladder is a search among priorities.
type ladder struct {
	*question.Scenario
	asked Asked
	known map[rung]Level
	// pods is how many find a place where all do, left how many tries are left, and most the
	// highest priority that the pod can have.
	pods, triesLeft int
	most            int32
}

// mostOf is the highest priority that a pod can have: those above that of users are for the
// classes of the system.
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

// levels lists the priorities at which the answer can change, the lowest first: the lowest of
// all, that of each pod and one more, and the pod's own.
func (l *ladder) levels() []int32 {
	found := map[int32]bool{math.MinInt32: true, min(l.asked.Pod.PriorityValue(), l.most): true}
	add := func(p int32) {
		if l.Changed() {
			found[p] = true // those of one priority take their turns by name
		}
		if p < math.MaxInt32 {
			found[p+1] = true
		}
	}
	snap := l.Snapshot()
	for n := range snap.Nodes() {
		for _, p := range snap.PodsOn(n.Name) {
			add(snap.CountsAs(p))
		}
		for _, p := range snap.NominatedTo(n.Name) {
			add(snap.CountsAs(p))
		}
	}
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

// spaced leaves n of the levels, with the lowest and the highest of them.
func spaced(levels []int32, n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = levels[i*(len(levels)-1)/(n-1)]
	}
	return out
}

// least finds the first of the levels that is enough, and the least priority before it that
// still is.
func (l *ladder) least(levels []Level, enough func(*Level) bool) (*Enough, error) {
	at := slices.IndexFunc(levels, func(level Level) bool { return enough(&level) })
	if at < 0 {
		return nil, nil
	}
	found := levels[at]
	if at > 0 {
		not := int64(levels[at-1].Priority)
		// Nearly always one less is not enough, and the search ends with that.
		for next := int64(found.Priority) - 1; next > not; next = (not + int64(found.Priority)) >> 1 { // rounded down below 0, too
			level, err := l.try(rung{int32(next), l.asked.Pod.PreemptionPolicy})
			if err != nil {
				return nil, err
			}
			if enough(&level) {
				found = level
			} else {
				not = next
			}
		}
	}
	out := &Enough{Level: found}
	for i := range levels[at+1:] {
		if above := &levels[at+1+i]; !enough(above) {
			out.NotAbove = append(out.NotAbove, above.Priority)
		}
	}
	return out, l.findClass(out, enough)
}

// serve finds the class of the least value with which it is enough, too.
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

// try tries a priority, once.
func (l *ladder) try(at rung) (Level, error) {
	if level, tried := l.known[at]; tried {
		return level, nil
	}
	l.triesLeft--
	f := l.Fork()
	f.Watch(nil)
	pod := *l.asked.Pod
	pod.Priority, pod.PreemptionPolicy = &at.priority, at.policy
	level, err := Level{}, error(nil)
	if l.asked.Workload != nil {
		level, err = l.tryWorkload(f, &pod)
	} else {
		level, err = l.tryPod(f, &pod)
	}
	l.known[at] = level
	return level, err
}

func (l *ladder) tryPod(f *question.Scenario, pod *outrank.Pod) (Level, error) {
	l.pods = 1
	if err := l.raiseCopies(f, pod); err != nil {
		return Level{}, err
	}
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

// lift gives the pods of the same controller that run with at least the pod's own priority the
// higher one.
func (l *ladder) raiseCopies(f *question.Scenario, pod *outrank.Pod) error {
	if pod.Owner == (outrank.Owner{}) || pod.PriorityValue() <= l.asked.Pod.PriorityValue() {
		return nil
	}
	var copies []*outrank.Pod
	for p := range f.Snapshot().Pods() {
		if p.Owner == pod.Owner && p.NamespaceName() == pod.NamespaceName() && p.Key() != pod.Key() &&
			p.PriorityValue() >= l.asked.Pod.PriorityValue() && p.PriorityValue() < pod.PriorityValue() {
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

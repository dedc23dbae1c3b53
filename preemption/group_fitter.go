package preemption

import (
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/internal/filters"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// fitter places the members of a group as FirstFit does, and says whether they can keep
// their places while units are put back:
//
//  1. What a node says to a member of the group depends on the pods on that node,
//     those of the cluster and those of members that were placed before; and, if a
//     filter looks further (far), on where certain pods of the cluster and members
//     are. So while the members are placed an answer holds until the node changes. It
//     holds for all members of one kind.
//  2. A unit that is put back can only matter to the members on its nodes, and to those
//     whose filters count one of its pods wherever it is (affects). A filter that may look
//     anywhere (opaque) counts every pod.
type fitter struct {
	run  *groupRun
	snap *state.Snapshot
	// lean: of the filters only NodeResourcesFit looks at the pods on a node. The
	// sites count what pods take then, and the snapshot stays as it was, but for
	// pods that a filter counts wherever they are.
	lean bool
	// far: the place of pods on other nodes decides, too.
	far   bool
	sites []site // by position
	// positionOf has the position of each slot.
	positionOf []int32
	members    []member
	// since is the first member that was placed since a group gave up, whose members were
	// taken away again. afresh: the next one is.
	since  int
	afresh bool
	// answers is how many are remembered (mostAnswers).
	answers int
	// version is the last one that was given to a site.
	version uint32
	// at are the positions of the pods of the unit at hand, with repetitions.
	at []int32
	// rules are members that differ in what their filters count wherever it is.
	// watched: they count some pod on a node at all.
	rules   []int
	watched bool
	// opaque: a filter of a member may look at any pod anywhere.
	opaque bool
	// nominees are the members with a nomination that counts for the others at present
	// (rule 12.9.5), by their pods: false while they have a place of their own.
	nominees map[*outrank.Pod]bool
	// failing are the members that do not pass on their nodes while units are put back and
	// the members stay in their places (rules 12.9.8 and 12.9.9), in order. They stay the
	// same until a unit is put back, and there are none afterwards. affected is the memory
	// of the members that a unit has to do with.
	failing  []failure
	affected []int
	err      error
}

// site is one node.
type site struct {
	// version is another one whenever the pods of the cluster on the node are
	// others.
	version uint32
	// count and taken follow the pods of the cluster on the node, if lean.
	count int32
	taken state.Usage
	// seated are the members that have their place here, by index, sorted.
	seated []int32
	// rows are what the pods that could leave take, if they ask only for what has a
	// column; nil on a node where some ask for more. They are the node's own.
	rows []state.AmountRow
}

// member is one pod of the group.
type member struct {
	pod  *outrank.Pod
	runs *state.PodState // as a running pod, on no particular node
	kind *memberKind
	at   int32 // position, nowhere for none
	// nominated is the position of the node that the member is nominated to, nowhere for
	// none, and nomination its name.
	nominated  int32
	nomination string
	// counted remembers which classes of pods a filter of the member counts
	// wherever they are; members with the same rules share it.
	counted map[*state.PodClass]bool
}

const nowhere = -1

// newFitter returns a fitter for pods of the group. The snapshot has the pods that the
// members have to do with at first, and the group's pods pending.
func (r *groupRun) newFitter(pods []*outrank.Pod) (*fitter, error) {
	f := &fitter{
		run: r, snap: r.work, lean: true, version: 1,
		sites: make([]site, len(r.work.Order)), positionOf: make([]int32, len(r.work.NodeStates)),
		nominees: map[*outrank.Pod]bool{},
	}
	if len(r.config.Filters) > 0 {
		// A state that the snapshot keeps would change under the attempts.
		r.work.Attachments = nil
	}
	var attempts []*dryrun.Attempt
	for _, pod := range pods {
		a, err := dryrun.NewAttempt(r.config, r.work, pod, time.Time{})
		if err != nil {
			return nil, err
		}
		if !f.judge(a) {
			f.opaque, f.lean, f.far = true, false, true
		}
		attempts = append(attempts, a)
	}
	for slot := range f.positionOf {
		f.positionOf[slot] = nowhere
	}
	for i, slot := range r.work.Order {
		n, all := r.work.NodeStates[slot], r.snap.NodeStates[slot]
		f.positionOf[slot] = int32(i)
		f.sites[i] = site{version: f.version, count: int32(len(n.Pods)), taken: n.Taken}
		if f.sites[i].taken.Extra = slices.Clone(n.Taken.Extra); len(all.Taken.Extra) == 0 {
			f.sites[i].rows = all.Rows
		}
	}
	f.addMembers(attempts)
	return f, nil
}

// judge finds out what the filters of a member look at. It reports false for a
// filter that may look at any pod anywhere: claims that allow a single pod are in use in
// the whole cluster or nowhere (rule 7.8.6).
//
// InterPodAffinity has something to say in the whole cluster if a member has terms,
// or if a running pod's anti-affinity picks one. If neither is so while all pods are
// there, it never will be (rule 7.13.15): with pods away there are fewer, and
// members without terms do not pick each other.
func (f *fitter) judge(a *dryrun.Attempt) bool {
	if slices.ContainsFunc(a.Asked.Pod.Volumes, func(v outrank.Volume) bool { return v.OncePod }) {
		return false
	}
	f.far = f.far || len(a.Asked.Pod.Affinity.PodAffinity)+len(a.Asked.Pod.Affinity.PodAntiAffinity) > 0
	for _, active := range a.Plan.Active {
		switch active.PodFilter.(type) {
		case *filters.FixedFilter, *filters.RuleAttempt:
		case *filters.WantedPorts, *filters.RestrictedVolumes, *filters.WantedVolumes:
			f.lean = false
		case *filters.InterPod, *filters.Spread:
			f.far = true
		default:
			return false
		}
	}
	return true
}

// addMembers parts the members into kinds. If far, each is a kind of its own: its
// filters have counted the members before it.
func (f *fitter) addMembers(attempts []*dryrun.Attempt) {
	kinds := map[string]*memberKind{}
	for _, a := range attempts {
		known, _ := f.snap.PodStates.Of(a.Asked.Pod)
		m := member{
			pod: a.Asked.Pod, at: nowhere, nominated: nowhere,
			runs: &state.PodState{Pod: a.Asked.Pod, Class: known.Class, Takes: f.snap.Columns.Running(a.Asked.Pod, f.snap.Of), Running: true},
		}
		if m.nomination = known.Nominated(); m.nomination != "" {
			m.nominated = f.positionOf[f.snap.NodeState(m.nomination).Slot]
			f.nominees[a.Asked.Pod] = true
		}
		signature := signatureOf(a)
		if m.nominated != nowhere {
			signature = "" // its own nomination is not in its way
		}
		if m.kind = kinds[signature]; m.kind == nil || signature == "" || f.far {
			m.kind = f.newKind(a)
			kinds[signature] = m.kind
		}
		f.members = append(f.members, m)
	}
	if f.far {
		f.shareRules()
	}
}

func (f *fitter) node(position int32) *state.NodeState {
	return f.snap.NodeStates[f.snap.Order[position]]
}

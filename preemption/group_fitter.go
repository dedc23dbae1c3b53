package preemption

import (
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// fitter is FirstFit kept up to date while pods are taken away and put back. It
// finds the same places and refuses with the same reasons as FirstFit asked
// afresh, and asks only nodes whose answer can have changed:
//
//  1. What a node says to a member of the group depends on the pods on that node,
//     those of the cluster and those of members that were placed before; and, if a
//     filter looks further (far), on where certain pods of the cluster and members
//     are. newFitter returns nil for a group with any other filter. So an answer
//     holds until the node changes, or until one of those pods comes or goes. It
//     holds for all members of one kind.
//  2. A member has the first node that takes it. If a node changes, the place of a
//     member changes only if it is that node, or if the node comes before it and
//     takes the member now. Then both nodes have changed for the members that
//     follow.
//  3. If the filters only let pods take room (monotone), a node that got another
//     pod takes no member that it did not take before. A unit that is put back on
//     nodes without members changes nothing then.
type fitter struct {
	run  *groupRun
	snap *Snapshot
	// lean: of the filters only NodeResourcesFit looks at the pods on a node. The
	// sites count what pods take then, and the snapshot stays as it was, but for
	// pods that a filter counts wherever they are.
	lean bool
	// monotone: a pod that is put on a node never makes the node take a member,
	// as far as the pods on the node decide. far: the place of pods elsewhere
	// decides, too.
	monotone, far bool
	sites         []site // by position
	// positionOf has the position of each slot.
	positionOf []int32
	members    []member
	missing    int // members without a node
	// first is the first member without a node, and since the first one that was placed
	// since a group gave up, whose members were taken away again. afresh: the next one is.
	first, since int
	afresh       bool
	// answers is how many are remembered (mostAnswers).
	answers int
	// version is the last one that was given to a site.
	version uint32
	// changed are the positions where the pods are others than before, for the
	// members still to come. From those in left a member went away.
	changed, left []int32
	// moves, rebuilt and versions are what takeBack restores.
	moves    []move
	rebuilt  []rebuiltMember
	versions []uint32
	// at are the positions of the pods of the unit at hand, with repetitions.
	at []int32
	// rules are members that differ in what their filters count wherever it is.
	// watched: they count some pod on a node at all.
	rules   []int
	watched bool
	// opaque: a filter of a member may look at any pod anywhere.
	opaque bool
	// nominees are the members with a nomination that counts for the others at present
	// (rule 12.9.5), by their pods: false while they have a place of their own. It is
	// empty before rule 12.9.5 holds.
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
	// others. It is the old one again if the change is taken back.
	version uint32
	// count and taken follow the pods of the cluster on the node, if lean.
	count int32
	taken usage
	// seated are the members that have their place here, by index, sorted.
	seated []int32
	// rows are what the pods that could leave take, if they ask only for what has a
	// column; nil on a node where some ask for more. They are the node's own.
	rows []amountRow
}

// member is one pod of the group.
type member struct {
	pod  *outrank.Pod
	runs *podState // as a running pod, on no particular node
	kind *memberKind
	at   int32 // position, nowhere for none
	// nominated is the position of the node that the member is nominated to, nowhere for
	// none, and nomination its name.
	nominated  int32
	nomination string
	// counted remembers which classes of pods a filter of the member counts
	// wherever they are; members with the same rules share it. stale: such a pod
	// came or went since kind was made.
	counted map[*podClass]bool
	stale   bool
}

const nowhere = -1

// move is a member that left its place.
type move struct {
	member int
	from   int32
}

// newFitter returns nil if it cannot stand in for FirstFit. The snapshot has the pods
// that the members have to do with at first and, beside those that can be put back, the
// group's pods pending: without nominations, or before rule 12.9.5 holds.
func (r *groupRun) newFitter(pods []*outrank.Pod) (*fitter, error) {
	once := r.work.rules.GroupsPlacedOnce
	f := &fitter{
		run: r, snap: r.work, lean: true, monotone: true, version: 1,
		sites: make([]site, len(r.work.order)), positionOf: make([]int32, len(r.work.nodes)),
		nominees: map[*outrank.Pod]bool{},
	}
	if once && len(r.config.Filters) > 0 {
		// A state that the snapshot keeps would change under the attempts.
		r.work.attachments = nil
	}
	var attempts []*attempt
	for _, pod := range pods {
		a, err := newAttempt(r.config, r.work, pod, time.Time{})
		if err != nil {
			return nil, err
		}
		if !f.judge(a) {
			if !once {
				return nil, nil
			}
			f.opaque, f.lean, f.monotone, f.far = true, false, false, true
		}
		attempts = append(attempts, a)
	}
	for slot := range f.positionOf {
		f.positionOf[slot] = nowhere
	}
	for i, slot := range r.work.order {
		n, all := r.work.nodes[slot], r.snap.nodes[slot]
		f.positionOf[slot] = int32(i)
		f.sites[i] = site{version: f.version, count: int32(len(n.pods)), taken: n.taken}
		if f.sites[i].taken.extra = slices.Clone(n.taken.extra); len(all.taken.extra) == 0 {
			f.sites[i].rows = all.rows
		}
	}
	f.addMembers(attempts)
	return f, nil
}

// judge finds out what the filters of a member look at. It reports false for a
// filter whose answers cannot be kept: claims that allow a single pod are in use in
// the whole cluster or nowhere (rule 7.8.6).
//
// InterPodAffinity has something to say in the whole cluster if a member has terms,
// or if a running pod's anti-affinity picks one. If neither is so while all pods are
// there, it never will be (rule 7.13.15): with pods away there are fewer, and
// members without terms do not pick each other.
func (f *fitter) judge(a *attempt) bool {
	if slices.ContainsFunc(a.pod.Volumes, func(v outrank.Volume) bool { return v.OncePod }) {
		return false
	}
	f.far = f.far || len(a.pod.Affinity.Pods)+len(a.pod.Affinity.AntiPods) > 0
	for _, active := range a.active {
		switch active.podFilter.(type) {
		case *fixedFilter, *ruleAttempt:
		case *wantedPorts, *restrictedVolumes:
			f.lean = false
		case *wantedVolumes:
			// Above a limit, a volume that is attached already needs no more room.
			f.lean, f.monotone = false, false
		case *interPod, *spread:
			f.far = true
		default:
			return false
		}
	}
	return true
}

// addMembers parts the members into kinds. If far, each is a kind of its own: its
// filters have counted the members before it.
func (f *fitter) addMembers(attempts []*attempt) {
	kinds := map[string]*memberKind{}
	for _, a := range attempts {
		state, _ := f.snap.pods.of(a.pod)
		m := member{
			pod: a.pod, at: nowhere, nominated: nowhere, stale: f.far,
			runs: &podState{pod: a.pod, class: state.class, takes: f.snap.columns.running(a.pod, f.snap.of), running: true},
		}
		if m.nomination = state.nominated(); m.nomination != "" {
			m.nominated = f.positionOf[f.snap.node(m.nomination).slot]
			f.nominees[a.pod] = true
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

func (f *fitter) node(position int32) *nodeState { return f.snap.nodes[f.snap.order[position]] }

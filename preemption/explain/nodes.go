package explain

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// grouping sorts the nodes of an answer into groups with the same verdict.
type grouping struct {
	*finder
	ex *preemption.Plan
	// candidates maps a node to its candidate, and places to the candidate's index in ex.Candidates.
	candidates map[string]*preemption.Candidate
	places     map[string]int
	// groups lists the groups in the order of their first nodes. byKey finds each by its key.
	groups []*openGroup
	byKey  map[string]*openGroup
	// best is the node that lacks the least room so far, or nil.
	best *closest
}

// newGrouping prepares to group the nodes of an answer.
func newGrouping(f *finder, ex *preemption.Plan) *grouping {
	g := &grouping{finder: f, ex: ex, byKey: map[string]*openGroup{}, candidates: map[string]*preemption.Candidate{}, places: map[string]int{}}
	for i := range ex.Candidates {
		c := &ex.Candidates[i]
		g.candidates[c.Node] = c
		g.places[c.Node] = i
	}
	return g
}

// openGroup is a group while nodes are still added.
type openGroup struct {
	NodeGroup
	// coarse is the key by which groups are merged if there are too many.
	coarse string
	// least says how much room the example lacks. It is unknown for a group that does not lack room.
	least missing
	// place is the index of the example in the plan's Candidates, 0 for a node that is no candidate.
	place int
}

// group sorts every node of the answer into a group of the report.
func (f *finder) group(ctx context.Context, r *Report, ex *preemption.Plan) error {
	g := newGrouping(f, ex)
	for i := range ex.Nodes {
		if i%nodesPerLook == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := g.add(&ex.Nodes[i]); err != nil {
			return err
		}
	}

	if len(g.groups) > 10*f.most {
		g.merge()
	}
	slices.SortStableFunc(g.groups, func(a, b *openGroup) int {
		return cmp.Or(cmp.Compare(stageOrder(a.Stage), stageOrder(b.Stage)), cmp.Compare(b.Names.Len(), a.Names.Len()))
	})
	for _, group := range g.groups {
		r.Nodes = append(r.Nodes, group.NodeGroup)
	}
	return ctx.Err()
}

// stages lists all stages in the order in which a report has them.
var stages = []Stage{Chosen, Fits, Candidate, InVain, NoHelp, NotTried}

// stageOrder returns the position of a stage in a report.
func stageOrder(s Stage) int { return slices.Index(stages, s) }

// add puts a node into the group with the same key, or opens a new group.
func (g *grouping) add(n *preemption.NodeReport) error {
	one, err := g.verdictOn(n)
	if err != nil {
		return err
	}

	// The coarse key has the answers of the filters. All candidates form one group, and so do all nodes that fit:
	// for them the earlier answers do not matter, because nothing keeps the pod out in the end.
	var key strings.Builder
	key.WriteString(string(one.Stage))
	key.WriteString("\x00" + one.LostBy + "\x00")
	if one.Stage != Candidate && one.Stage != Fits {
		keyStatus(&key, &n.Status)
	}
	if one.Stage == InVain {
		keyStatus(&key, n.AfterRemoval)
	}
	one.coarse = key.String()

	// The full key also has the obstacles: nodes with different taints are in different groups.
	if one.Stage != Candidate {
		one.Before.key(&key)
		one.After.key(&key)
	}

	if into, ok := g.byKey[key.String()]; ok {
		into.absorb(one, g.most)
		return nil
	}
	g.byKey[key.String()] = one
	g.groups = append(g.groups, one)
	return nil
}

// absorb adds the nodes of another group, whose first node comes later in the cluster. The better example of
// the two stays.
func (g *openGroup) absorb(o *openGroup, most int) {
	all := g.Names.Len() + o.Names.Len()
	taken := min(len(o.Names.Items), most-len(g.Names.Items))
	g.Names.Items = append(g.Names.Items, o.Names.Items[:taken]...)
	g.Names.More = all - len(g.Names.Items)

	// Everything that a group says of its example changes with it. Stage and LostBy are part of the key, so
	// both groups have the same.
	if o.place < g.place || o.place == g.place && o.least.less(g.least) {
		g.Example, g.Score, g.Victims = o.Example, o.Score, o.Victims
		g.Before, g.After = o.Before, o.After
		g.least, g.place = o.least, o.place
	}
}

// merge merges the groups with the same coarse key, whose nodes gave the same answers about perhaps different
// obstacles. The first of them absorbs the others, so that groups keep their order.
func (g *grouping) merge() {
	coarse := map[string]*openGroup{}
	var out []*openGroup
	for _, group := range g.groups {
		if into, ok := coarse[group.coarse]; ok {
			into.absorb(group, g.most)
			into.Mixed = true
			continue
		}
		coarse[group.coarse] = group
		out = append(out, group)
	}
	g.groups = out
}

// refused reports whether the attempt ended before any node was asked.
func (g *grouping) refused() bool { return g.ex.Refused.Code != preemption.Success }

// stageOf returns the stage that a node reached.
func (g *grouping) stageOf(n *preemption.NodeReport) Stage {
	switch {
	case g.ex.Outcome == preemption.Preempts && n.Node == g.ex.Node:
		return Chosen
	case n.Status.Code == preemption.Success:
		return Fits
	case g.candidates[n.Node] != nil:
		return Candidate
	case n.AfterRemoval != nil:
		return InVain
	case n.Status.Code == preemption.Unschedulable && !g.refused():
		return NotTried
	}
	return NoHelp
}

// verdictOn returns a group that has only this node, with the verdict on it.
func (g *grouping) verdictOn(n *preemption.NodeReport) (*openGroup, error) {
	one := &openGroup{NodeGroup: NodeGroup{
		Verdict: Verdict{Stage: g.stageOf(n)}, Names: List[string]{Items: []string{n.Node}}, Example: n.Node,
	}}

	switch one.Stage {
	case Fits:
		return one, nil
	case Candidate:
		c := g.candidates[n.Node]
		score := scoreOf(c)
		one.Score, one.place = &score, g.places[n.Node]
		if g.ex.Outcome == preemption.Preempts {
			one.LostBy = g.lostBy(g.ex, c)
		}
		one.Victims = len(c.Victims)
	case Chosen:
		one.Victims = len(g.ex.Victims)
	}

	// If the pod was refused before any node was asked, no node has an obstacle of its own.
	if g.refused() {
		return one, nil
	}
	at, err := g.placeOn(n.Node)
	if err != nil {
		return nil, err
	}
	one.Before = g.find(at, n.Status)

	// Preemption is not tried on a node that is too small even when empty (rule 7.7.5), so the node has no status
	// after removal. It can still be the one that lacks the least room.
	if one.Stage == InVain || one.Stage == NoHelp && n.Status.Filter == preemption.NodeResourcesFit {
		g.afterRemoval(one, at, n)
	}
	return one, nil
}

// afterRemoval sets what keeps the pod out of a node with every possible victim gone. If the node is short of room
// then, it is compared with the nearest node so far.
func (g *grouping) afterRemoval(one *openGroup, at *place, n *preemption.NodeReport) {
	empty := at.empty()
	status := n.Status
	if n.AfterRemoval != nil {
		one.Victims = len(empty.gonePods)
		one.After = g.find(empty, *n.AfterRemoval)
		if one.Victims > 0 {
			status = *n.AfterRemoval
		}
	}
	if status.Filter != preemption.NodeResourcesFit {
		return
	}

	rooms := g.room(empty)
	one.least = missingOf(rooms)
	if one.least.known && (g.best == nil || one.least.less(g.best.missing)) {
		g.best = &closest{one.least, Nearest{Node: n.Node, Gone: len(empty.gonePods), Missing: shortOf(rooms)}}
	}
	g.nearest = g.best
}

// keyStatus appends the parts of a status to a key. Equal statuses append the same.
func keyStatus(b *strings.Builder, s *preemption.Status) {
	keyTexts(b, s.Code.String(), s.Filter, s.ExcludedBy)
	keyTexts(b, s.Reasons...)
}

// keyTexts appends a list of texts with its length and theirs, so that different lists never look alike.
func keyTexts(b *strings.Builder, texts ...string) {
	var space [20]byte
	b.Write(append(strconv.AppendInt(space[:0], int64(len(texts)), 10), ':'))
	for _, t := range texts {
		b.Write(append(strconv.AppendInt(space[:0], int64(len(t)), 10), ':'))
		b.WriteString(t)
	}
}

// key appends the things that an obstacle names. It leaves out amounts, holders and the node's own label values, in
// which the nodes of a group may differ.
func (o *Obstacle) key(b *strings.Builder) {
	if o == nil {
		b.WriteByte('-')
		return
	}

	for _, t := range o.Taints {
		keyTexts(b, "taint", t.Key, t.Value, string(t.Effect))
	}
	for _, l := range o.Labels {
		keyTexts(b, "label", l.Key)
	}
	for _, t := range o.Terms {
		t.key(b)
	}
	for _, p := range o.Ports {
		keyTexts(b, "port", p.HostIP, p.Protocol, strconv.Itoa(int(p.HostPort)))
	}
	for i := range o.Volumes {
		o.Volumes[i].key(b)
	}

	// Resources that are short are in the reasons of the status, which the key has already. Drivers are not.
	for i := range o.Short {
		if driver := o.Short[i].driver(); driver != "" {
			keyTexts(b, "driver", driver)
		}
	}

	// It does not matter in which domain the node is, but only whether it is in one.
	for _, s := range o.Spread {
		keyTexts(b, "spread", s.TopologyKey, s.Selector, strconv.FormatBool(s.Domain == nil))
	}
	for _, n := range o.Neighbours {
		keyTexts(b, "pods", n.Side, n.TopologyKey, n.Selector, strconv.FormatBool(n.Domain == nil))
	}

	// Missing features and drivers differ from node to node. Other names need not be in the key: the nodes that the
	// pod names are the same everywhere, and a deferred resize is about a single node.
	if o.Filter == preemption.NodeDeclaredFeatures || o.Filter == preemption.NodeVolumeLimits {
		keyTexts(b, o.Names...)
	}
	keyTexts(b, strconv.Itoa(o.More))
}

// key appends the volume, without its holder and what is wrong with it.
func (v *Volume) key(b *strings.Builder) {
	zone := ""
	if v.Zone != nil {
		zone = v.Zone.Key
	}
	keyTexts(b, "volume", string(v.Claim), v.Disk, zone)
}

// key appends the demands of the term that the node does not meet.
func (t *Term) key(b *strings.Builder) {
	keyTexts(b, "term", strconv.FormatBool(t.Added))
	for _, l := range t.Unmet {
		keyTexts(b, l.Key, string(l.Operator))
		keyTexts(b, l.Values...)
	}
}

// nearestAtTheTop finds the node that lacks the least room if the pod has the highest priority, with which it may
// preempt nearly all pods. It returns nil if no node lacks room.
func (f *finder) nearestAtTheTop(ctx context.Context, e *engine.Evaluator, req preemption.Request) (*Nearest, error) {
	highest := int32(math.MaxInt32)
	other := *f.pod
	other.Priority = &highest
	req.Pod = &other

	ex, err := e.Explain(ctx, f.snap, req)
	if err != nil {
		return nil, err
	}
	lookAt, err := e.LookAt(f.snap, req)
	if err != nil {
		return nil, err
	}

	// Grouping changes the nearest node of its finder, so a finder of its own protects f.nearest.
	top := &finder{ctx: ctx, snap: f.snap, pod: &other, tolerations: f.tolerations, config: f.config, lookAt: lookAt, most: f.most}
	g := newGrouping(top, ex)
	for i := range ex.Nodes {
		n := &ex.Nodes[i]
		if n.Status.Filter != preemption.NodeResourcesFit && (n.AfterRemoval == nil || n.AfterRemoval.Filter != preemption.NodeResourcesFit) {
			continue
		}
		at, err := g.placeOn(n.Node)
		if err != nil {
			return nil, err
		}
		g.afterRemoval(&openGroup{}, at, n)
	}

	if g.best == nil {
		return nil, nil
	}
	return &g.best.Nearest, nil
}

// missingOf returns how much room is missing on a node: the largest missing fraction of a request over all resources.
func missingOf(rooms []amounts) missing {
	var m missing
	for _, r := range rooms {
		if r.short() > 0 {
			m.known = true
			m.part = max(m.part, float64(r.short())/float64(max(1, r.needed)))
		}
	}
	return m
}

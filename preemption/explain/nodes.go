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

// grouping puts nodes into groups by what became of them.
type grouping struct {
	*finder
	ex         *preemption.Plan
	candidates map[string]*preemption.Candidate
	places     map[string]int // of candidates, by node
	groups     []*openGroup
	byKey      map[string]*openGroup
	best       *closest
}

// openGroup is a group while nodes are still added.
type openGroup struct {
	NodeGroup
	// coarse is the same for groups that are merged where there are too many.
	coarse string
	// least is what is missing on the example, for groups that are short of room; place is
	// that of the best candidate.
	least missing
	place int
}

// group puts every node into a group.
func (f *finder) group(ctx context.Context, r *Report, ex *preemption.Plan) error {
	g := &grouping{finder: f, ex: ex, byKey: map[string]*openGroup{}, candidates: map[string]*preemption.Candidate{}, places: map[string]int{}}
	for i := range ex.Candidates {
		g.candidates[ex.Candidates[i].Node], g.places[ex.Candidates[i].Node] = &ex.Candidates[i], i
	}
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

var stages = []Stage{Chosen, Fits, Candidate, InVain, NoHelp, NotTried}

func stageOrder(s Stage) int { return slices.Index(stages, s) }

// add puts a node into its group.
func (g *grouping) add(n *preemption.NodeReport) error {
	one, err := g.alone(n)
	if err != nil {
		return err
	}
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
	if one.Stage != Candidate {
		one.Before.key(&key)
		one.After.key(&key)
	}
	if into, ok := g.byKey[key.String()]; ok {
		into.take(one, g.most)
		return nil
	}
	g.byKey[key.String()] = one
	g.groups = append(g.groups, one)
	return nil
}

// take adds the nodes of another group, which come later in the cluster.
func (g *openGroup) take(o *openGroup, most int) {
	all := g.Names.Len() + o.Names.Len()
	taken := min(len(o.Names.Items), most-len(g.Names.Items))
	g.Names.Items = append(g.Names.Items, o.Names.Items[:taken]...)
	g.Names.More = all - len(g.Names.Items)
	if o.place < g.place || o.place == g.place && o.least.less(g.least) {
		g.Example, g.Score, g.Before, g.After, g.Victims = o.Example, o.Score, o.Before, o.After, o.Victims
		g.least, g.place = o.least, o.place
	}
}

// merge makes one group of those whose nodes gave the same answers, whatever the thing.
func (g *grouping) merge() {
	coarse := map[string]*openGroup{}
	var out []*openGroup
	for _, group := range g.groups {
		if into, ok := coarse[group.coarse]; ok {
			into.take(group, g.most)
			into.Mixed = true
			continue
		}
		coarse[group.coarse] = group
		out = append(out, group)
	}
	g.groups = out
}

// alone is a group of one node.
func (g *grouping) alone(n *preemption.NodeReport) (*openGroup, error) {
	one := &openGroup{NodeGroup: NodeGroup{Verdict: Verdict{Stage: NoHelp}, Names: List[string]{Items: []string{n.Node}}, Example: n.Node}}
	refused := g.ex.Refused.Code != preemption.Success
	switch {
	case g.ex.Outcome == preemption.Preempts && n.Node == g.ex.Node:
		one.Stage = Chosen
	case n.Status.Code == preemption.Success:
		one.Stage = Fits
		return one, nil
	case g.candidates[n.Node] != nil:
		c := g.candidates[n.Node]
		score := scoreOf(c)
		one.Stage, one.Score, one.place = Candidate, &score, g.places[n.Node]
		if g.ex.Outcome == preemption.Preempts {
			one.LostBy = g.lostBy(g.ex, c)
		}
		one.Victims = len(c.Victims)
	case n.AfterRemoval != nil:
		one.Stage = InVain
	case n.Status.Code == preemption.Unschedulable && !refused:
		one.Stage = NotTried
	}
	if refused {
		return one, nil
	}
	at, err := g.at(n.Node)
	if err != nil {
		return nil, err
	}
	one.Before = g.find(at, n.Status)
	if one.Stage == Chosen {
		one.Victims = len(g.ex.Victims)
	}
	if one.Stage == InVain || one.Stage == NoHelp && n.Status.Filter == preemption.NodeResourcesFit {
		g.afterRemoval(one, at, n)
	}
	return one, nil
}

// afterRemoval looks at a node with every possible victim gone.
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

// keyStatus appends what is the same for equal statuses.
func keyStatus(b *strings.Builder, s *preemption.Status) {
	keyTexts(b, s.Code.String(), s.Filter, s.ExcludedBy)
	keyTexts(b, s.Reasons...)
}

// keyTexts appends texts so that no two lists look alike.
func keyTexts(b *strings.Builder, texts ...string) {
	var space [20]byte
	b.Write(append(strconv.AppendInt(space[:0], int64(len(texts)), 10), ':'))
	for _, t := range texts {
		b.Write(append(strconv.AppendInt(space[:0], int64(len(t)), 10), ':'))
		b.WriteString(t)
	}
}

// key appends what an obstacle is about, without amounts, holders and what the node has
// instead.
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
	for _, v := range o.Volumes {
		zone := ""
		if v.Zone != nil {
			zone = v.Zone.Key
		}
		keyTexts(b, "volume", string(v.Claim), v.Disk, zone)
	}
	for i := range o.Short {
		if driver := o.Short[i].driver(); driver != "" {
			keyTexts(b, "driver", driver)
		}
	}
	for _, s := range o.Spread {
		keyTexts(b, "spread", s.TopologyKey, s.Selector, strconv.FormatBool(s.Domain == nil))
	}
	for _, n := range o.Neighbours {
		keyTexts(b, "pods", n.Side, n.TopologyKey, n.Selector, strconv.FormatBool(n.Domain == nil))
	}
	if o.Filter == preemption.NodeDeclaredFeatures || o.Filter == preemption.NodeVolumeLimits {
		keyTexts(b, o.Names...)
	}
	keyTexts(b, strconv.Itoa(o.More))
}

func (t *Term) key(b *strings.Builder) {
	keyTexts(b, "term", strconv.FormatBool(t.Added))
	for _, l := range t.Unmet {
		keyTexts(b, l.Key, string(l.Operator))
		keyTexts(b, l.Values...)
	}
}

// alone finds where the least is missing even with the highest priority.
func (f *finder) alone(ctx context.Context, e *engine.Evaluator, req preemption.Request) (*Nearest, error) {
	highest := int32(math.MaxInt32)
	other := *f.pod
	other.Priority, req.Pod = &highest, &other
	ex, err := e.Explain(ctx, f.snap, req)
	if err != nil {
		return nil, err
	}
	lookAt, err := e.LookAt(f.snap, req)
	if err != nil {
		return nil, err
	}
	g := &grouping{finder: &finder{ctx: ctx, snap: f.snap, pod: &other, tolerations: f.tolerations, config: f.config, lookAt: lookAt, most: f.most}, ex: ex}
	for i := range ex.Nodes {
		n := &ex.Nodes[i]
		if n.Status.Filter != preemption.NodeResourcesFit && (n.AfterRemoval == nil || n.AfterRemoval.Filter != preemption.NodeResourcesFit) {
			continue
		}
		at, err := g.at(n.Node)
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

// missingOf returns what is missing on a node with these rooms.
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

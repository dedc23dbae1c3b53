package tenancy_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

// court decides about a gang in the plainest way: whatever it has to know it adds up anew from
// the pods, each time, by what RULES.md says.
type court struct {
	config tenancy.Config
	style  tenancy.Style
	fair   *tenancy.Fair
	nodes  []*outrank.Node
	gang   []*outrank.Pod
	// running and waiting are the other pods, on their nodes and nominated.
	running, waiting []*outrank.Pod
}

// tenant is a queue or a cohort of the configuration.
type tenant struct {
	name, parent           string
	queue                  bool
	nominal, borrow, lends resource.List
	weight                 float64
	policy                 tenancy.Policy
}

func (c *court) tenants() (all []tenant) {
	weight := func(w *float64) float64 {
		if w == nil {
			return 1
		}
		return *w
	}
	for _, x := range c.config.Cohorts {
		all = append(all, tenant{x.Name, x.Parent, false, x.Nominal, x.BorrowLimit, x.LendLimit, weight(x.Weight), tenancy.Policy{}})
	}
	for _, x := range c.config.Queues {
		all = append(all, tenant{x.Name, x.Cohort, true, x.Nominal, x.BorrowLimit, x.LendLimit, weight(x.Weight), x.Policy})
	}
	return all
}

func (c *court) find(name string) (tenant, bool) {
	for _, x := range c.tenants() {
		if x.name == name {
			return x, true
		}
	}
	return tenant{}, false
}

func (c *court) children(name string) (below []string) {
	for _, x := range c.tenants() {
		if x.parent == name {
			below = append(below, x.name)
		}
	}
	return below
}

// way is a tenant and all above it, the lowest first.
func (c *court) way(name string) (names []string) {
	for x, ok := c.find(name); ok; x, ok = c.find(x.parent) {
		names = append(names, x.name)
	}
	return names
}

// there is what is there for a tenant and all below it (rule 24.1.3), and keeps the part of it
// that it does not lend (rule 24.1.4).
func (c *court) there(name string, r resource.Name) int64 {
	x, _ := c.find(name)
	sum := x.nominal.Amount(r)
	for _, child := range c.children(name) {
		sum += c.there(child, r) - c.keeps(child, r)
	}
	return sum
}

func (c *court) keeps(name string, r resource.Name) int64 {
	x, _ := c.find(name)
	if _, limited := x.lends[r]; !limited {
		return 0
	}
	return max(0, c.there(name, r)-x.lends.Amount(r))
}

// used is what a tenant has in use where these pods are there (rule 24.1.5).
func (c *court) used(name string, r resource.Name, pods []*outrank.Pod) (sum int64) {
	if x, _ := c.find(name); x.queue {
		for _, p := range pods {
			if queueOf(p) == name {
				sum += p.RunningRequests(outrank.DefaultRelease).Amount(r)
			}
		}
		return sum
	}
	for _, child := range c.children(name) {
		sum += max(0, c.used(child, r, pods)-c.keeps(child, r))
	}
	return sum
}

// left is how much more a tenant may have (rule 24.1.6).
func (c *court) left(name string, r resource.Name, pods []*outrank.Pod) int64 {
	x, _ := c.find(name)
	if x.parent == "" {
		return c.there(name, r) - c.used(name, r, pods)
	}
	above := c.left(x.parent, r, pods)
	if _, limited := x.borrow[r]; limited {
		lent := c.there(name, r) - c.keeps(name, r)
		above = min(above, lent-max(0, c.used(name, r, pods)-c.keeps(name, r))+x.borrow.Amount(r))
	}
	return above + max(0, c.keeps(name, r)-c.used(name, r, pods))
}

func (c *court) most(name string, r resource.Name) int64 {
	x, _ := c.find(name)
	if x.parent == "" {
		return c.there(name, r)
	}
	most := c.keeps(name, r) + c.most(x.parent, r)
	if _, limited := x.borrow[r]; limited {
		most = min(most, c.there(name, r)+x.borrow.Amount(r))
	}
	return most
}

// counted are the resources of which anybody has a quota or a limit.
func (c *court) counted(r resource.Name) bool {
	return slices.ContainsFunc(c.tenants(), func(x tenant) bool {
		_, a := x.nominal[r]
		_, b := x.borrow[r]
		_, l := x.lends[r]
		return a || b || l
	})
}

// declares reports whether a tenant, or one below it, has a quota.
func (c *court) declares(name string, r resource.Name) bool {
	x, _ := c.find(name)
	_, own := x.nominal[r]
	return own || slices.ContainsFunc(c.children(name), func(child string) bool { return c.declares(child, r) })
}

var kinds = []resource.Name{resource.CPU, resource.Memory}

// asked are the resources of which the gang asks for something (rule 24.3.8).
func (c *court) asked(pods ...*outrank.Pod) (names []resource.Name) {
	for _, r := range kinds {
		if c.counted(r) && slices.ContainsFunc(pods, func(p *outrank.Pod) bool { return p.RunningRequests(outrank.DefaultRelease).Amount(r) > 0 }) {
			names = append(names, r)
		}
	}
	return names
}

func (c *court) over(name string, asked []resource.Name, pods []*outrank.Pod) bool {
	return slices.ContainsFunc(asked, func(r resource.Name) bool { return c.used(name, r, pods) > c.there(name, r) })
}

// share is that of rule 24.4.1, by which two tenants compare.
func (c *court) share(name string, pods []*outrank.Pod) (part, weight float64) {
	x, _ := c.find(name)
	if x.parent == "" {
		return 0, x.weight
	}
	for _, r := range kinds {
		beyond := c.used(name, r, pods) - c.there(name, r)
		if most := c.most(x.parent, r); c.declares(name, r) && beyond > 0 && most > 0 {
			part = max(part, float64(beyond)*1000/float64(most))
		}
	}
	return part, x.weight
}

func lessShare(p1, w1, p2, w2 float64, orEqual bool) bool {
	by := func(part, weight float64) float64 {
		switch {
		case part == 0, w1 == 0 && w2 == 0:
			return part
		case weight == 0:
			return math.Inf(1)
		}
		return part / weight
	}
	a, b := by(p1, w1), by(p2, w2)
	return a < b || orEqual && a == b
}

// mayTake is rule 24.5.1 and, for YuniKorn, 24.5.4.
func (c *court) mayTake(by, victim *outrank.Pod) bool {
	mine, theirs := queueOf(by), queueOf(victim)
	lower := victim.PriorityValue() < by.PriorityValue()
	if mine == "" || theirs == "" {
		return mine == theirs && lower
	}
	a, b := c.way(mine), c.way(theirs)
	x, _ := c.find(mine)
	related := a[len(a)-1] == b[len(b)-1]
	take := x.policy.Reclaim
	if mine == theirs {
		take = x.policy.Within
	}
	if c.style == tenancy.YuniKorn {
		return mine != theirs && related && victim.PriorityValue() <= by.PriorityValue() && slices.ContainsFunc(kinds, func(r resource.Name) bool {
			return c.counted(r) && by.RunningRequests(outrank.DefaultRelease).Amount(r) > 0 && victim.RunningRequests(outrank.DefaultRelease).Amount(r) > 0
		})
	}
	switch take {
	case tenancy.Lower:
		return related && lower
	case tenancy.LowerOrNewer: // the gang waited first
		return related && victim.PriorityValue() <= by.PriorityValue()
	case tenancy.Anybody:
		return related
	}
	return false
}

// everybody are all pods but these.
func (c *court) without(gone []*outrank.Pod) (stay []*outrank.Pod) {
	for _, p := range slices.Concat(c.running, c.waiting) {
		if !slices.Contains(gone, p) {
			stay = append(stay, p)
		}
	}
	return stay
}

// guards says why these units may not be gone together; empty if they may (group 24.5).
func (c *court) guards(gone []family) string {
	if queueOf(c.gang[0]) == "" {
		return ""
	}
	for _, q := range c.config.Queues {
		if q.Name != queueOf(c.gang[0]) && slices.ContainsFunc(podsOf(gone), func(p *outrank.Pod) bool { return queueOf(p) == q.Name }) {
			if why := c.refuses(q.Name, gone); why != "" {
				return why
			}
		}
	}
	return ""
}

// parted is where two queues meet, and what is just below that on both ways.
func (c *court) parted(mine, theirs string) (below []string, meet, one, other string) {
	way := c.way(theirs)
	for i, at := range c.way(mine) {
		if up := slices.Index(way, at); up >= 0 {
			return way[:up], at, c.way(mine)[i-1], way[up-1]
		}
	}
	panic("Take keeps to a tree")
}

func (c *court) refuses(queue string, gone []family) string {
	mine, asked := queueOf(c.gang[0]), c.asked(c.gang...)
	before, after := c.without(nil), c.without(podsOf(gone))
	below, meet, one, other := c.parted(mine, queue)
	final := append(slices.Clone(after), c.gang...)
	// back is what there is with one workload back that is away of a queue below.
	back := func(below string, holds func(pods []*outrank.Pod) bool) bool {
		for _, f := range gone {
			for _, q := range c.config.Queues {
				part := slices.DeleteFunc(slices.Clone(f.pods), func(p *outrank.Pod) bool { return queueOf(p) != q.Name })
				if q.Name != mine && len(part) > 0 && slices.Contains(c.way(q.Name), below) && holds(append(slices.Clone(after), part...)) {
					return true
				}
			}
		}
		return false
	}
	switch c.style {
	case tenancy.YuniKorn:
		if why := c.refusesAsYuniKorn(queue, below, gone, back); why != "" {
			return why
		}
		return ""
	default:
		for _, at := range below {
			keeps := true
			if c.style == tenancy.Kueue {
				keeps = back(at, func(pods []*outrank.Pod) bool { return c.over(at, asked, pods) })
			} else {
				for _, r := range asked {
					keeps = keeps && c.used(at, r, after) >= min(c.used(at, r, before), c.there(at, r))
				}
			}
			if !c.over(at, asked, before) || !keeps {
				return at + " would lose what is its own"
			}
		}
	}
	if c.fair != nil {
		if !c.fair.SharesAlone && !c.over(mine, asked, final) {
			return ""
		}
		p, w := c.share(one, final)
		strategies := c.fair.Strategies
		if strategies == nil {
			strategies = []tenancy.Strategy{tenancy.LessThanOrEqualToFinalShare, tenancy.LessThanInitialShare}
		}
		for _, s := range strategies {
			p2, w2 := c.share(other, final)
			if s == tenancy.LessThanOrEqualToFinalShare && lessShare(p, w, p2, w2, true) {
				return ""
			}
			if s == tenancy.LessThanInitialShare && back(queue, func(pods []*outrank.Pod) bool {
				p2, w2 := c.share(other, append(slices.Clone(pods), c.gang...))
				return lessShare(p, w, p2, w2, false)
			}) {
				return ""
			}
		}
		return fmt.Sprintf("queue %s would have the larger share than %s", mine, other)
	}
	if c.claims(mine, meet, after) || c.allLow(queue, gone) {
		return ""
	}
	return fmt.Sprintf("queue %s would have more than its own", mine)
}

// claims is rule 24.3.4.
func (c *court) claims(mine, meet string, pods []*outrank.Pod) bool {
	rest := resource.List{}
	for _, p := range c.gang {
		rest = rest.Plus(p.RunningRequests(outrank.DefaultRelease))
	}
	amounts := map[resource.Name]int64{}
	for _, r := range c.asked(c.gang...) {
		amounts[r] = rest.Amount(r)
	}
	for _, at := range c.way(mine) {
		if at == meet {
			return false
		}
		covers := true
		for r, v := range amounts {
			covers = covers && c.used(at, r, pods)+v <= c.there(at, r)
			amounts[r] = max(0, v-max(0, c.keeps(at, r)-c.used(at, r, pods)))
		}
		if covers {
			return true
		}
	}
	return false
}

// allLow is rule 24.3.5.
func (c *court) allLow(queue string, gone []family) bool {
	x, _ := c.find(queueOf(c.gang[0]))
	for _, p := range podsOf(gone) {
		if queueOf(p) == queue && (!x.policy.WhileBorrowing || p.PriorityValue() >= c.gang[0].PriorityValue() ||
			x.policy.BorrowUpTo != nil && p.PriorityValue() > *x.policy.BorrowUpTo) {
			return false
		}
	}
	return true
}

// refusesAsYuniKorn is rule 24.5.4.
func (c *court) refusesAsYuniKorn(queue string, below []string, gone []family, back func(string, func([]*outrank.Pod) bool) bool) string {
	mine, asked := queueOf(c.gang[0]), c.asked(c.gang...)
	before, final := c.without(nil), append(c.without(podsOf(gone)), c.gang...)
	has, over := false, false
	for _, at := range below {
		owned := slices.DeleteFunc(slices.Clone(asked), func(r resource.Name) bool { return !c.declares(at, r) })
		has = has || len(owned) > 0
		over = over || back(at, func(pods []*outrank.Pod) bool { return c.over(at, owned, pods) })
	}
	if has && !over {
		return queue + " would lose what is its own"
	}
	owner := func(r resource.Name) string {
		for _, at := range c.way(mine) {
			if c.declares(at, r) {
				return at
			}
		}
		return ""
	}
	for _, r := range asked {
		if at := owner(r); at != "" && c.used(at, r, final) > c.there(at, r) {
			return fmt.Sprintf("queue %s would have more than its own", mine)
		}
	}
	for _, r := range kinds {
		taken := int64(0)
		for _, p := range podsOf(gone) {
			if c.counted(r) && queueOf(p) != "" && queueOf(p) != mine {
				taken += p.RunningRequests(outrank.DefaultRelease).Amount(r)
			}
		}
		if at := owner(r); at != "" && taken > 0 && taken > c.there(at, r)-c.used(at, r, before) {
			return fmt.Sprintf("queue %s would take more than it is short of", mine)
		}
	}
	return ""
}

// rule is what a victim's plan names beside these others.
func (c *court) rule(p *outrank.Pod, gone []family) string {
	mine, theirs := queueOf(c.gang[0]), queueOf(p)
	if mine == "" {
		return "lower priority"
	}
	if mine == theirs {
		return "within the queue"
	}
	after := c.without(podsOf(gone))
	_, meet, _, _ := c.parted(mine, theirs)
	switch {
	case c.style == tenancy.YuniKorn:
	case c.fair != nil && (c.fair.SharesAlone || c.over(mine, c.asked(c.gang...), append(slices.Clone(after), c.gang...))):
		return "fair share within the cohort"
	case c.fair == nil && !c.claims(mine, meet, after):
		return "reclaimed within the cohort while borrowing"
	}
	return "reclaimed within the cohort"
}

// family are pods that leave together, or one by itself.
type family struct {
	name  string
	whole bool
	pods  []*outrank.Pod
}

func podsOf(fs []family) (pods []*outrank.Pod) {
	for _, f := range fs {
		pods = append(pods, f.pods...)
	}
	return pods
}

// families are those that may be taken, the most important first (group 12.7).
func (c *court) families() (fs []family) {
	for _, p := range c.running {
		at := slices.IndexFunc(fs, func(f family) bool { return p.Group != "" && f.name == p.Group })
		switch {
		case at >= 0:
			fs[at].pods = append(fs[at].pods, p)
		case p.Group != "":
			fs = append(fs, family{p.Group, true, []*outrank.Pod{p}})
		default:
			fs = append(fs, family{p.Name, false, []*outrank.Pod{p}})
		}
	}
	fs = slices.DeleteFunc(fs, func(f family) bool {
		return slices.ContainsFunc(f.pods, func(p *outrank.Pod) bool {
			return slices.ContainsFunc(c.gang, func(by *outrank.Pod) bool { return !c.mayTake(by, p) })
		})
	})
	for _, f := range fs { // the pods of a group have one priority
		slices.SortFunc(f.pods, func(p, q *outrank.Pod) int {
			return cmp.Or(p.StartTime.Compare(q.StartTime), cmp.Compare(p.Name, q.Name))
		})
	}
	start := func(f family) time.Time { return f.pods[0].StartTime }
	before := func(a, b family) bool {
		x, y := a.pods[0].PriorityValue(), b.pods[0].PriorityValue()
		switch {
		case x != y:
			return x > y
		case a.whole != b.whole:
			return a.whole
		case len(a.pods) != len(b.pods):
			return len(a.pods) > len(b.pods)
		case !start(a).Equal(start(b)):
			return start(a).Before(start(b))
		}
		return a.name < b.name
	}
	slices.SortFunc(fs, func(a, b family) int {
		if before(a, b) {
			return -1
		}
		return 1
	})
	return fs
}

// takes reports whether a node takes a pod of the gang with the pods that stay and those of the
// gang before it: its amounts, beside nominated pods that matter, and its queue's quota.
func (c *court) takes(n *outrank.Node, p *outrank.Pod, stay []*outrank.Pod, before map[*outrank.Pod]string) bool {
	there, free := slices.Clone(stay), n.Allocatable
	use := resource.List{"pods": resource.New(1)}.Plus(p.RunningRequests(outrank.DefaultRelease))
	for _, q := range stay {
		if q.NodeName == n.Name || q.NominatedNodeName == n.Name && q.PriorityValue() >= p.PriorityValue() {
			use = use.Plus(q.RunningRequests(outrank.DefaultRelease)).Plus(resource.List{"pods": resource.New(1)})
		}
	}
	for _, q := range c.gang {
		if before[q] != "" {
			there = append(there, q)
		}
		if before[q] == n.Name {
			use = use.Plus(q.RunningRequests(outrank.DefaultRelease)).Plus(resource.List{"pods": resource.New(1)})
		}
	}
	for _, r := range append(slices.Clone(kinds), resource.Pods) {
		if wanted := p.RunningRequests(outrank.DefaultRelease).Amount(r) > 0 || r == resource.Pods; wanted && use.Amount(r) > free.Amount(r) {
			return false
		}
	}
	for _, r := range c.asked(p) {
		if queue := queueOf(p); queue != "" && p.RunningRequests(outrank.DefaultRelease).Amount(r) > c.left(queue, r, there) {
			return false
		}
	}
	return true
}

// place puts each pod on the first node that takes it; nil if one finds none.
func (c *court) place(gone []family) map[*outrank.Pod]string {
	at := map[*outrank.Pod]string{}
	for _, p := range c.gang {
		i := slices.IndexFunc(c.nodes, func(n *outrank.Node) bool { return c.takes(n, p, c.without(podsOf(gone)), at) })
		if i < 0 {
			return nil
		}
		at[p] = c.nodes[i].Name
	}
	return at
}

// holds reports whether each pod keeps its place while these are gone.
func (c *court) holds(at map[*outrank.Pod]string, gone []family) bool {
	before := map[*outrank.Pod]string{}
	for _, p := range c.gang {
		n := c.nodes[slices.IndexFunc(c.nodes, func(n *outrank.Node) bool { return n.Name == at[p] })]
		if !c.takes(n, p, c.without(podsOf(gone)), before) {
			return false
		}
		before[p] = at[p]
	}
	return true
}

// verdict is what the court says.
type verdict struct {
	Outcome string
	Guard   string
	At      map[string]string
	Victims []string // each with the rule
}

// decide goes through the steps of PreemptGroup (rules 12.9.8 and 13.6.7 to 13.6.10).
func (c *court) decide() verdict {
	named := func(at map[*outrank.Pod]string) map[string]string {
		out := map[string]string{}
		for p, node := range at {
			out[p.Name] = node
		}
		return out
	}
	if at := c.place(nil); at != nil {
		return verdict{Outcome: "fits", At: named(at)}
	}
	possible := c.families()
	if len(possible) == 0 {
		return verdict{Outcome: "nothing-helps"}
	}
	var gone []family
	kept, refusal := slices.Clone(possible), ""
	for again := true; again; {
		again = false
		refusal = ""
		for i := len(kept) - 1; i >= 0; i-- {
			why := c.guards(append(slices.Clone(gone), kept[i]))
			if why == "" {
				gone, kept, again = append(gone, kept[i]), slices.Delete(kept, i, i+1), true
			} else if refusal == "" {
				refusal = why
			}
		}
	}
	at := c.place(gone)
	if at == nil {
		if len(kept) > 0 && c.place(possible) != nil {
			return verdict{Outcome: "nothing-helps", Guard: refusal}
		}
		return verdict{Outcome: "nothing-helps"}
	}
	away := slices.DeleteFunc(slices.Clone(possible), func(f family) bool {
		return !slices.ContainsFunc(gone, func(g family) bool { return g.name == f.name })
	})
	for again := true; again; {
		again = false
		for i := 0; i < len(away); i++ {
			others := slices.Delete(slices.Clone(away), i, i+1)
			if c.holds(at, others) && c.guards(others) == "" {
				away, again = others, true
				i--
			}
		}
	}
	v := verdict{Outcome: "preempt", At: named(at)}
	for _, f := range away {
		v.Victims = append(v.Victims, f.name+" by "+c.rule(f.pods[0], away))
	}
	return v
}

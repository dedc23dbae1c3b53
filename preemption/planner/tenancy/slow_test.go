package tenancy_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

// plain decides by the nominal quotas in the plainest way: it adds everything up anew whenever it
// has to know it, by what groups 24.1 to 24.3, 24.8 and 24.9 of RULES.md say.
type plain struct {
	config  tenancy.Config
	req     tenancy.Request
	gone    map[string]bool // by name
	retryAt time.Time
}

// place is a queue or a cohort.
type place struct {
	name, parent      string
	queue             bool
	own, borrow, lend resource.List
	policy            tenancy.Policy
	labels            map[string]string
}

func (p *plain) place(name string, queue bool) *place {
	for _, q := range p.config.Queues {
		if queue && q.Name == name {
			return &place{q.Name, q.Cohort, true, q.Nominal, q.BorrowLimit, q.LendLimit, q.Policy, q.Labels}
		}
	}
	for _, c := range p.config.Cohorts {
		if !queue && c.Name == name {
			return &place{c.Name, c.Parent, false, c.Nominal, c.BorrowLimit, c.LendLimit, tenancy.Policy{}, nil}
		}
	}
	return &place{name: name}
}

func (p *plain) queueOf(w *tenancy.Workload) *place { return p.place(w.Queue, true) }

// up lists a place and all above it.
func (p *plain) up(x *place) (out []*place) {
	for out = append(out, x); x.parent != ""; out = append(out, x) {
		x = p.place(x.parent, false)
	}
	return out
}

func (p *plain) below(x *place) (out []*place) {
	if x.queue {
		return nil
	}
	for _, c := range p.config.Cohorts {
		if c.Parent == x.name {
			out = append(out, p.place(c.Name, false))
		}
	}
	for _, q := range p.config.Queues {
		if q.Cohort == x.name {
			out = append(out, p.place(q.Name, true))
		}
	}
	return out
}

func count(l resource.List, r resource.Name) int64 { q := l[r]; return q.Value() }

func (p *plain) subtree(x *place, r resource.Name) int64 {
	sum := count(x.own, r)
	for _, c := range p.below(x) {
		sum += p.subtree(c, r) - p.keeps(c, r)
	}
	return sum
}

func (p *plain) keeps(x *place, r resource.Name) int64 {
	if _, limited := x.lend[r]; !limited {
		return 0
	}
	return max(0, p.subtree(x, r)-count(x.lend, r))
}

func (p *plain) used(x *place, r resource.Name) (sum int64) {
	for i := range p.req.Admitted {
		if w := &p.req.Admitted[i]; x.queue && w.Queue == x.name && !p.gone[w.Name] {
			sum += count(w.Uses, r)
		}
	}
	for _, c := range p.below(x) {
		sum += max(0, p.used(c, r)-p.keeps(c, r))
	}
	return sum
}

func (p *plain) available(x *place, r resource.Name) int64 {
	if x.parent == "" {
		return p.subtree(x, r) - p.used(x, r)
	}
	above := p.available(p.place(x.parent, false), r)
	if _, limited := x.borrow[r]; limited {
		above = min(above, p.subtree(x, r)-p.keeps(x, r)-max(0, p.used(x, r)-p.keeps(x, r))+count(x.borrow, r))
	}
	return max(0, p.keeps(x, r)-p.used(x, r)) + above
}

// contested are the resources that are too scarce, as things are.
func (p *plain) contested() (out []resource.Name) {
	saved := p.gone
	p.gone = nil
	for r := range p.req.Incoming.Uses {
		if count(p.req.Incoming.Uses, r) > max(0, p.available(p.queueOf(&p.req.Incoming), r)) {
			out = append(out, r)
		}
	}
	p.gone = saved
	return out
}

func (p *plain) over(x *place) bool {
	return slices.ContainsFunc(p.contested(), func(r resource.Name) bool { return p.used(x, r) > p.subtree(x, r) })
}

func (p *plain) fits(borrowing bool) bool {
	x := p.queueOf(&p.req.Incoming)
	for r := range p.req.Incoming.Uses {
		n := count(p.req.Incoming.Uses, r)
		if n > 0 && (n > p.available(x, r) || !borrowing && p.used(x, r)+n > p.subtree(x, r)) {
			return false
		}
	}
	return true
}

// common returns the places between a queue and where it meets the preemptor's, and whether the
// preemptor has the better claim to what is used there; not ok if they do not meet.
func (p *plain) common(w *tenancy.Workload) (between []*place, claim, ok bool) {
	mine := p.up(p.queueOf(&p.req.Incoming))
	theirs := p.up(p.queueOf(w))
	rest := map[resource.Name]int64{}
	for r := range p.req.Incoming.Uses {
		rest[r] = count(p.req.Incoming.Uses, r)
	}
	for i, x := range mine {
		if at := slices.IndexFunc(theirs, func(y *place) bool { return y.name == x.name && !y.queue && i > 0 }); at >= 0 {
			return theirs[:at], claim, true
		}
		covers := true
		for r, n := range rest {
			if n > 0 || count(p.req.Incoming.Uses, r) > 0 {
				covers = covers && p.used(x, r)+n <= p.subtree(x, r)
			}
			rest[r] = max(0, n-max(0, p.keeps(x, r)-p.used(x, r)))
		}
		claim = claim || covers
	}
	return nil, false, false
}

func boosted(w *tenancy.Workload) int64 { return int64(w.Priority) + int64(w.Boost) }

// takes reports whether a policy lets the incoming workload take another.
func (p *plain) takes(t tenancy.Take, w *tenancy.Workload) bool {
	in := &p.req.Incoming
	lower := boosted(w) < boosted(in)
	return t == tenancy.Anybody || t != tenancy.Nobody && lower ||
		t == tenancy.LowerOrNewer && boosted(w) == boosted(in) && in.Queued.Before(w.Queued)
}

func (p *plain) usesContested(w *tenancy.Workload) bool {
	return slices.ContainsFunc(p.contested(), func(r resource.Name) bool { _, ok := w.Uses[r]; return ok })
}

// kind is why a workload is a candidate: 0 if it is none.
const (
	ofItsQueue = iota + 1
	claimed
	borrowed
	notBorrowed
)

var kindRules = map[int]string{
	ofItsQueue: "within the queue", claimed: "reclaimed within the cohort", borrowed: "reclaimed within the cohort while borrowing",
	notBorrowed: "reclaimed within the cohort",
}

// kind finds it out as things are before anybody leaves.
func (p *plain) kind(w *tenancy.Workload) int {
	policy, kind := p.queueOf(&p.req.Incoming).policy, ofItsQueue
	window := p.req.Protection.Within
	if !p.usesContested(w) {
		return 0
	}
	if w.Queue == p.req.Incoming.Queue {
		if !p.takes(policy.Within, w) {
			return 0
		}
	} else {
		between, claim, ok := p.common(w)
		if !ok || !p.takes(policy.Reclaim, w) || slices.ContainsFunc(between, func(x *place) bool { return !p.over(x) }) {
			return 0
		}
		kind, window = notBorrowed, p.req.Protection.Reclaim
		switch {
		case claim:
			kind = claimed
		case policy.WhileBorrowing && boosted(w) < boosted(&p.req.Incoming) && (policy.BorrowUpTo == nil || boosted(w) <= int64(*policy.BorrowUpTo)):
			kind = borrowed
		}
	}
	if end := w.Started.Add(window); !w.Leaving && !w.Started.IsZero() && p.req.Now.Before(end) {
		if p.retryAt.IsZero() || end.Before(p.retryAt) {
			p.retryAt = end
		}
		return 0
	}
	return kind
}

func (p *plain) order(a, b *tenancy.Workload) int {
	yes := func(b bool) int {
		if b {
			return 0
		}
		return 1
	}
	mine := p.req.Incoming.Queue
	return cmp.Or(
		cmp.Compare(yes(a.Leaving), yes(b.Leaving)), cmp.Compare(yes(a.Queue != mine), yes(b.Queue != mine)),
		cmp.Compare(boosted(a), boosted(b)), b.Admitted.Compare(a.Admitted), cmp.Compare(a.Name, b.Name),
	)
}

// compares is a comparison by its name.
func compares(name string, a, b int64) bool {
	return map[string]bool{"LessThan": a < b, "LessThanOrEqual": a <= b, "GreaterThan": a > b, "GreaterThanOrEqual": a >= b}[name]
}

func listed(c tenancy.Classes, class string) bool {
	return (len(c.Names) == 0 || class != "" && slices.Contains(c.Names, class)) && (class == "" || !slices.Contains(c.NotNames, class))
}

func picked(s *outrank.LabelSelector, labels map[string]string) bool {
	return s == nil || s.Matches(labels)
}

// configured reports whether a rule of the preemptor's queue makes a workload a candidate.
func (p *plain) configured(rule *tenancy.Selection, w *tenancy.Workload) bool {
	in := &p.req.Incoming
	if !picked(rule.Preemptor, in.Labels) || rule.PreemptorClasses != nil && !listed(*rule.PreemptorClasses, in.Class) {
		return false
	}
	number := func(n tenancy.NumberLabel, w *tenancy.Workload) (int64, bool) {
		if v, err := strconv.ParseInt(w.Labels[n.Key], 10, 64); err == nil && v < 1<<31 {
			return v, true
		}
		if n.Fallback != nil {
			return int64(*n.Fallback), true
		}
		return 0, false
	}
	for _, s := range rule.Candidates {
		mine, theirs := p.up(p.queueOf(in)), p.up(p.queueOf(w))
		same := w.Queue == in.Queue
		ok := map[string]bool{
			"AnyClusterQueue": true, "WithinClusterQueue": same, "WithinLocalQueue": same && w.LocalQueue == in.LocalQueue,
			"WithinParentCohort": same || len(mine) > 1 && mine[0].parent == theirs[0].parent,
			"WithinCohortTree":   same || len(mine) > 1 && len(theirs) > 1 && mine[len(mine)-1].name == theirs[len(theirs)-1].name,
		}[s.Scope]
		ok = ok && picked(s.Queues, theirs[0].labels) && picked(s.Labels, w.Labels)
		if s.Priority != nil {
			ok = ok && listed(s.Priority.Classes, w.Class)
			switch s.Priority.Mode {
			case "Base":
				ok = ok && compares(s.Priority.Comparison, int64(w.Priority), int64(in.Priority))
			case "Boosted":
				ok = ok && compares(s.Priority.Comparison, boosted(w), boosted(in))
			}
		}
		for _, n := range s.Numbers {
			v, has := number(n, w)
			own, hasOwn := number(n, in)
			ok = ok && has && (n.Least == nil || v >= int64(*n.Least)) && (n.Most == nil || v <= int64(*n.Most)) &&
				(n.Comparison == "" || hasOwn && compares(n.Comparison, v, own))
		}
		if ok {
			return true
		}
	}
	return false
}

// decide returns who leaves, by which rule.
func (p *plain) decide() (gives []string) {
	if p.fits(true) {
		return []string{}
	}
	policy := p.queueOf(&p.req.Incoming).policy
	lists, kinds := map[int][]*tenancy.Workload{}, map[string]int{}
	for i := range p.req.Admitted {
		w := &p.req.Admitted[i]
		if k := p.kind(w); k > 0 {
			kinds[w.Name] = k
			lists[min(k, borrowed)] = append(lists[min(k, borrowed)], w)
		}
	}
	var all []*tenancy.Workload
	for _, leaving := range []bool{true, false} {
		for _, kind := range []int{claimed, borrowed, ofItsQueue} {
			slices.SortFunc(lists[kind], p.order)
			for _, w := range lists[kind] {
				if w.Leaving == leaving {
					all = append(all, w)
				}
			}
		}
	}
	below := true
	for _, r := range p.contested() {
		below = below && p.used(p.queueOf(&p.req.Incoming), r) < count(p.queueOf(&p.req.Incoming).own, r)
	}
	attempts := []bool{true, false}
	switch {
	case len(lists[claimed])+len(lists[borrowed]) == 0 || !policy.WhileBorrowing && !below:
		attempts = []bool{true}
	case !policy.WhileBorrowing && len(lists[claimed]) == 0:
		attempts = []bool{false, true}
	}
	for _, borrowing := range attempts {
		p.gone = map[string]bool{}
		if gives := p.attempt(all, kinds, borrowing); gives != nil {
			return gives
		}
	}
	return []string{}
}

// attempt takes until the workload fits, and puts back.
func (p *plain) attempt(all []*tenancy.Workload, kinds map[string]int, borrowing bool) []string {
	type leaver struct{ name, rule string }
	var taken []leaver
	take := func(w *tenancy.Workload, rule string) bool {
		p.gone[w.Name] = true
		taken = append(taken, leaver{w.Name, rule})
		return p.fits(borrowing)
	}
	fit := false
	for _, w := range all {
		k := kinds[w.Name]
		if k != ofItsQueue {
			between, _, _ := p.common(w)
			if borrowing && k == notBorrowed || slices.ContainsFunc(between, func(x *place) bool { return !p.over(x) }) {
				continue
			}
		}
		if fit = take(w, kindRules[k]); fit {
			break
		}
	}
	for _, trigger := range []string{"Always", "InsufficientQuota"} {
		var more []*tenancy.Workload
		rules := map[string]string{}
		for i := range p.req.Admitted {
			w := &p.req.Admitted[i]
			for _, rule := range p.queueOf(&p.req.Incoming).policy.Further {
				if rules[w.Name] == "" && rule.Trigger == trigger && !p.gone[w.Name] && p.usesContested(w) && p.configured(&rule, w) {
					rules[w.Name] = rule.Name
					more = append(more, w)
				}
			}
		}
		slices.SortFunc(more, p.order)
		for _, w := range more {
			if fit {
				break
			}
			fit = take(w, "configured preemption by "+rules[w.Name])
		}
	}
	if !fit {
		return nil
	}
	for i := len(taken) - 2; i >= 0; i-- {
		p.gone[taken[i].name] = false
		if !p.fits(borrowing) {
			p.gone[taken[i].name] = true
			continue
		}
		taken[i] = taken[len(taken)-1]
		taken = taken[:len(taken)-1]
	}
	var gives []string
	for _, x := range taken {
		gives = append(gives, x.name+" by "+x.rule)
	}
	return gives
}

// The plain way is Kueue's, too, where there are neither shares nor what is newer.
func TestPlainAgreesWithKueue(t *testing.T) {
	eachLockstep(t, func(n int, c *lockstepCase) {
		if n%10 == 0 && c.Case.Request.Fair == nil && !c.Kueue.Fits {
			require.Contains(t, c.Kueue.Gives, (&plain{config: c.Case.Config, req: c.Case.Request}).decide(), "case %d", n)
		}
	})
}

// drawSelection draws a rule of a PreemptionConfig.
func drawSelection(t *rapid.T, name string) tenancy.Selection {
	number := func(label string) *int32 {
		if rapid.Bool().Draw(t, "no "+label) {
			return nil
		}
		n := int32(rapid.IntRange(0, 2).Draw(t, label))
		return &n
	}
	labels := func(label string) *outrank.LabelSelector {
		if rapid.IntRange(0, 3).Draw(t, label) > 0 {
			return nil
		}
		return &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{
			Key: "team", Operator: rapid.SampledFrom([]outrank.Operator{outrank.In, outrank.NotIn}).Draw(t, "operator"), Values: []string{"red"},
		}}}
	}
	classes := func() (c tenancy.Classes) {
		if rapid.IntRange(0, 3).Draw(t, "names") == 0 {
			c.Names = []string{"batch", "prod"}
		}
		if rapid.IntRange(0, 3).Draw(t, "other names") == 0 {
			c.NotNames = []string{"prod"}
		}
		return c
	}
	comparison := func() string {
		return rapid.SampledFrom([]string{"LessThan", "LessThanOrEqual", "GreaterThan", "GreaterThanOrEqual"}).Draw(t, "comparison")
	}
	s := tenancy.Selection{Name: name, Trigger: rapid.SampledFrom([]string{"Always", "InsufficientQuota"}).Draw(t, "trigger"), Preemptor: labels("preemptor")}
	if rapid.IntRange(0, 3).Draw(t, "preemptor's class") == 0 {
		c := classes()
		s.PreemptorClasses = &c
	}
	for range rapid.IntRange(1, 2).Draw(t, "selectors") {
		x := tenancy.Selector{
			Scope:  rapid.SampledFrom([]string{"AnyClusterQueue", "WithinCohortTree", "WithinParentCohort", "WithinClusterQueue", "WithinLocalQueue"}).Draw(t, "scope"),
			Queues: labels("queues"), Labels: labels("labels"),
		}
		if rapid.Bool().Draw(t, "by priority") {
			x.Priority = &tenancy.PriorityIs{Classes: classes()}
			if rapid.Bool().Draw(t, "compares") {
				x.Priority.Mode, x.Priority.Comparison = rapid.SampledFrom([]string{"Base", "Boosted"}).Draw(t, "mode"), comparison()
			}
		}
		if rapid.IntRange(0, 2).Draw(t, "by number") == 0 {
			n := tenancy.NumberLabel{Key: "size", Fallback: number("fallback"), Least: number("least")}
			if rapid.Bool().Draw(t, "is compared") {
				n.Comparison = comparison()
			}
			if n.Most = number("most"); n.Most != nil && n.Least != nil {
				*n.Most = max(*n.Most, *n.Least)
			}
			x.Numbers = append(x.Numbers, n)
		}
		s.Candidates = append(s.Candidates, x)
	}
	return s
}

// drawFurther draws a case with windows, and with rules of PreemptionConfigs.
func drawFurther(t *rapid.T) lockstepCase {
	c := drawLockstep(t)
	tell := func(w *tenancy.Workload) {
		w.LocalQueue = rapid.SampledFrom([]string{"ns/a", "ns/b"}).Draw(t, "local queue")
		w.Class = rapid.SampledFrom([]string{"", "batch", "prod"}).Draw(t, "class")
		w.Labels = map[string]string{
			"team": rapid.SampledFrom([]string{"red", "blue"}).Draw(t, "team"), "size": rapid.SampledFrom([]string{"1", "0", "2", "many", "4294967297"}).Draw(t, "size"),
		}
		if rapid.IntRange(0, 3).Draw(t, "has started") > 0 {
			w.Started = now.Add(-time.Duration(rapid.IntRange(0, 5).Draw(t, "started")) * time.Minute)
		}
	}
	tell(&c.Case.Request.Incoming)
	for i := range c.Case.Request.Admitted {
		tell(&c.Case.Request.Admitted[i])
	}
	window := func(label string) time.Duration {
		return time.Duration(rapid.IntRange(0, 4).Draw(t, label)) * time.Minute
	}
	if rapid.Bool().Draw(t, "protects") {
		c.Case.Request.Protection = tenancy.Protection{Within: window("within"), Reclaim: window("reclaim"), FairShare: window("fair share")}
	}
	for i := range c.Case.Config.Queues {
		q := &c.Case.Config.Queues[i]
		q.Labels = map[string]string{"team": rapid.SampledFrom([]string{"red", "blue"}).Draw(t, "team")}
		for k := range rapid.IntRange(0, 3).Draw(t, "rules") {
			q.Policy.Further = append(q.Policy.Further, drawSelection(t, fmt.Sprint("rule-", k)))
		}
	}
	return c
}

// Windows, boosts and the rules of PreemptionConfigs are those of the plain way, and so is the
// time of a retry.
func TestPropertyFurtherAgreesWithThePlainWay(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		c := drawFurther(t)
		c.Case.Request.Fair = nil
		a, err := must(tenancy.NewTree(c.Case.Config)).Reclaim(c.Case.Request)
		require.NoError(t, err)
		p := &plain{config: c.Case.Config, req: c.Case.Request}
		want := p.decide()
		gives := []string{}
		for _, v := range a.Victims {
			gives = append(gives, v.Name+" by "+v.Rule)
			seen[v.Rule]++
		}
		require.Equal(t, want, gives)
		if a.Outcome != preemption.NothingHelps {
			p.retryAt = time.Time{}
		}
		require.Equal(t, p.retryAt, a.RetryAt)
		if !a.RetryAt.IsZero() {
			seen["retry"]++
		}
	})
	t.Log(seen)
}

// What holds by shares, too: nobody is a victim in the window of the rule that takes it; until
// the time of the retry the answer is the same; by shares further rules change nothing where the others are
// enough, and their victims are those that they select.
func TestPropertyFurtherByShares(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		c := drawFurther(t)
		tree, req := must(tenancy.NewTree(c.Case.Config)), c.Case.Request
		a := must(tree.Reclaim(req))
		windows := map[string]time.Duration{
			"within the queue": req.Protection.Within, "reclaimed within the cohort": req.Protection.Reclaim,
			"reclaimed within the cohort while borrowing": req.Protection.Reclaim, "fair share within the cohort": req.Protection.FairShare,
		}
		p := &plain{config: c.Case.Config, req: req}
		rules := map[string]tenancy.Selection{}
		for _, s := range p.queueOf(&req.Incoming).policy.Further {
			rules["configured preemption by "+s.Name] = s
		}
		for _, v := range a.Victims {
			window, ok := windows[v.Rule]
			if ok {
				assert.False(t, !v.Leaving && !v.Started.IsZero() && now.Sub(v.Started) < window, "%s is spared from %s", v.Name, v.Rule)
				continue
			}
			rule, ok := rules[v.Rule]
			require.True(t, ok, v.Rule)
			require.True(t, p.configured(&rule, &v.Workload), "%s is no candidate of %s", v.Name, v.Rule)
			seen["configured by shares "+fmt.Sprint(req.Fair != nil)]++
		}
		if !a.RetryAt.IsZero() {
			seen["retry by shares "+fmt.Sprint(req.Fair != nil)]++
			require.True(t, a.Outcome == preemption.NothingHelps && a.RetryAt.After(now))
			req.Now = a.RetryAt.Add(-1)
			require.Equal(t, a, must(tree.Reclaim(req)), "before the retry")
		}
		req = c.Case.Request
		for i := range c.Case.Config.Queues {
			c.Case.Config.Queues[i].Policy.Further = nil
		}
		if alone := must(must(tenancy.NewTree(c.Case.Config)).Reclaim(req)); alone.Outcome == preemption.Fits || req.Fair != nil && alone.Outcome == preemption.Preempts {
			require.Equal(t, alone, a)
		}
	})
	t.Log(seen)
}

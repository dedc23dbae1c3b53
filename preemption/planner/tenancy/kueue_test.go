package tenancy_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// told are the rules by the words of the scenario file.
var told = map[string]string{
	"within the queue": "within", "reclaimed within the cohort": "reclaimed",
	"reclaimed within the cohort while borrowing": "borrowing", "fair share within the cohort": "fair",
}

// quotaCase is one case of testdata/kueue.txt or own.txt.
type quotaCase struct {
	name   string
	config tenancy.Config
	req    tenancy.Request
	gives  []string
}

// words goes over the words of a line.
type words struct {
	t    *testing.T
	rest []string
}

func (w *words) next() string {
	w.t.Helper()
	require.NotEmpty(w.t, w.rest)
	word := w.rest[0]
	w.rest = w.rest[1:]
	return word
}

func (w *words) amounts() resource.List {
	l := resource.List{}
	for _, part := range strings.Split(w.next(), ",") {
		name, amount, _ := strings.Cut(part, "=")
		l[resource.Name(name)] = resource.MustParse(amount)
	}
	return l
}

func (w *words) number() int {
	n, err := strconv.Atoi(w.next())
	require.NoError(w.t, err)
	return n
}

func (w *words) take() tenancy.Take {
	word := tenancy.Take(w.next())
	if word == "Never" {
		return tenancy.Nobody
	}
	require.Contains(w.t, []tenancy.Take{tenancy.Lower, tenancy.LowerOrNewer, tenancy.Anybody}, word)
	return word
}

// node reads what follows the name of a queue or a cohort.
func (w *words) node(in *string, own, borrow, lend *resource.List, weight **float64, p *tenancy.Policy) {
	for len(w.rest) > 0 {
		switch word := w.next(); word {
		case "in":
			*in = w.next()
		case "own":
			*own = w.amounts()
		case "borrow":
			*borrow = w.amounts()
		case "lend":
			*lend = w.amounts()
		case "weight":
			f, err := strconv.ParseFloat(w.next(), 64)
			require.NoError(w.t, err)
			*weight = &f
		case "within":
			p.Within = w.take()
		case "reclaim":
			p.Reclaim = w.take()
		case "borrows":
			limit := int32(w.number())
			p.WhileBorrowing, p.BorrowUpTo = true, &limit
		default:
			require.Fail(w.t, "no such word", word)
		}
	}
}

// workload reads what follows its name.
func (w *words) workload(req *tenancy.Request) tenancy.Workload {
	x := tenancy.Workload{Uses: w.amounts()}
	for len(w.rest) > 0 {
		switch word := w.next(); word {
		case "priority":
			x.Priority = int32(w.number())
		case "queued":
			x.Queued = now.Add(time.Duration(w.number()) * time.Second)
		case "admitted":
			x.Admitted = now.Add(time.Duration(w.number()) * time.Second)
		case "leaving":
			x.Leaving = true
		case "contested":
			for _, name := range strings.Split(w.next(), ",") {
				req.Contested = append(req.Contested, resource.Name(name))
			}
		default:
			require.Fail(w.t, "no such word", word)
		}
	}
	return x
}

var strategiesOf = map[string][]tenancy.Strategy{
	"both": nil, "final": {tenancy.LessThanOrEqualToFinalShare}, "initial": {tenancy.LessThanInitialShare},
}

// quotaCases reads a file with cases.
func quotaCases(t *testing.T, file string) []quotaCase {
	text, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	var out []quotaCase
	var config tenancy.Config
	for _, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		w := &words{t, strings.Fields(line)}
		verb := w.next()
		var c *quotaCase
		if len(out) > 0 {
			c = &out[len(out)-1]
		}
		switch verb {
		case "tree":
			config = tenancy.Config{}
		case "cohort":
			x := tenancy.Cohort{Name: w.next()}
			var none tenancy.Policy
			w.node(&x.Parent, &x.Nominal, &x.BorrowLimit, &x.LendLimit, &x.Weight, &none)
			config.Cohorts = append(config.Cohorts, x)
		case "queue":
			x := tenancy.Queue{Name: w.next()}
			w.node(&x.Cohort, &x.Nominal, &x.BorrowLimit, &x.LendLimit, &x.Weight, &x.Policy)
			config.Queues = append(config.Queues, x)
		case "case":
			name, strategies, fair := strings.Cut(strings.TrimPrefix(line, "case "), " by shares: ")
			n := quotaCase{name: name, config: config, req: tenancy.Request{Now: now}}
			if fair {
				n.req.Fair = &tenancy.Fair{Strategies: strategiesOf[strategies]}
			}
			out = append(out, n)
		case "has":
			name := w.next()
			x := w.workload(&c.req)
			x.Name, x.Queue = name, strings.Split(name, ".")[0]
			c.req.Admitted = append(c.req.Admitted, x)
		case "wants":
			queue := w.next()
			c.req.Incoming = w.workload(&c.req)
			c.req.Incoming.Name, c.req.Incoming.Queue = "incoming", queue
		case "gives":
			for len(w.rest) > 0 {
				c.gives = append(c.gives, w.next()+" "+w.next())
			}
		default:
			require.Fail(t, "no such verb", verb)
		}
	}
	return out
}

func given(a *tenancy.Answer) []string {
	var out []string
	for _, v := range a.Victims {
		out = append(out, v.Name+" "+told[v.Rule])
	}
	slices.Sort(out)
	return out
}

// What Kueue's unit tests describe comes out as they say.
func TestKueue(t *testing.T) {
	cases := quotaCases(t, "kueue.txt")
	assert.Len(t, cases, 86)
	decide(t, cases)
}

// And so does what they leave open.
func TestQuotas(t *testing.T) { decide(t, quotaCases(t, "own.txt")) }

// copied shares nothing with the configuration.
func copied(c tenancy.Config) tenancy.Config {
	pointed := func(w *float64) *float64 {
		if w == nil {
			return nil
		}
		own := *w
		return &own
	}
	c.Queues, c.Cohorts = slices.Clone(c.Queues), slices.Clone(c.Cohorts)
	for i := range c.Cohorts {
		x := &c.Cohorts[i]
		x.Nominal, x.BorrowLimit, x.LendLimit, x.Weight = maps.Clone(x.Nominal), maps.Clone(x.BorrowLimit), maps.Clone(x.LendLimit), pointed(x.Weight)
	}
	for i := range c.Queues {
		x := &c.Queues[i]
		x.Nominal, x.BorrowLimit, x.LendLimit, x.Weight = maps.Clone(x.Nominal), maps.Clone(x.BorrowLimit), maps.Clone(x.LendLimit), pointed(x.Weight)
		if limit := x.Policy.BorrowUpTo; limit != nil {
			own := *limit
			x.Policy.BorrowUpTo = &own
		}
	}
	return c
}

// spoil writes to all that a configuration leads to. No tree that was made of it changes.
func spoil(c tenancy.Config) {
	amounts := func(lists ...resource.List) {
		for _, l := range lists {
			for name := range l {
				l[name] = resource.New(1 << 40)
			}
		}
	}
	for i := range c.Cohorts {
		x := &c.Cohorts[i]
		amounts(x.Nominal, x.BorrowLimit, x.LendLimit)
		if x.Weight != nil {
			*x.Weight = 77
		}
		*x = tenancy.Cohort{}
	}
	for i := range c.Queues {
		x := &c.Queues[i]
		amounts(x.Nominal, x.BorrowLimit, x.LendLimit)
		if x.Weight != nil {
			*x.Weight = 77
		}
		if x.Policy.BorrowUpTo != nil {
			*x.Policy.BorrowUpTo = -1 << 30
		}
		*x = tenancy.Queue{}
	}
}

func decide(t *testing.T, cases []quotaCase) {
	for i, c := range cases {
		t.Run(fmt.Sprintf("%d %s", i+1, c.name), func(t *testing.T) {
			config := copied(c.config)
			tree, err := tenancy.NewTree(config)
			require.NoError(t, err)
			spoil(config)
			a, err := tree.Reclaim(c.req)
			require.NoError(t, err)
			assert.Equal(t, c.gives, given(a))
			assert.Equal(t, len(c.gives) > 0, a.Outcome == preemption.Preempts)
			// The order in which the workloads are listed changes nothing.
			slices.Reverse(c.req.Admitted)
			a, err = tree.Reclaim(c.req)
			require.NoError(t, err)
			assert.Equal(t, c.gives, given(a), "listed backwards")
		})
	}
}

// Where one in the middle is put back, the last one takes its place in the list (rule 24.3.7).
func TestOrderOfVictims(t *testing.T) {
	tree := must(tenancy.NewTree(tenancy.Config{Queues: []tenancy.Queue{
		{Name: "ads", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "11")}, Policy: tenancy.Policy{Within: tenancy.Lower}},
	}}))
	request := tenancy.Request{Incoming: tenancy.Workload{Name: "in", Queue: "ads", Priority: 9, Uses: resource.MustList("cpu", "10")}}
	for i, cpu := range []string{"3", "1", "3", "4"} {
		request.Admitted = append(request.Admitted, tenancy.Workload{
			Name: fmt.Sprint("w", i), Queue: "ads", Priority: int32(i), Uses: resource.MustList("cpu", cpu),
		})
	}
	a, err := tree.Reclaim(request)
	require.NoError(t, err)
	var names []string
	for _, v := range a.Victims {
		names = append(names, v.Name)
	}
	assert.Equal(t, []string{"w0", "w3", "w2"}, names)
}

// A request is checked, and a workload that can be admitted as things are takes nothing.
func TestReclaimChecksTheRequest(t *testing.T) {
	tree := must(tenancy.NewTree(shop()))
	a, err := tree.Reclaim(tenancy.Request{Incoming: tenancy.Workload{Name: "small", Queue: "ads", Uses: resource.MustList("cpu", "8")}})
	require.NoError(t, err)
	assert.Equal(t, preemption.Fits, a.Outcome)
	_, err = tree.Reclaim(tenancy.Request{
		Incoming:  tenancy.Workload{Name: "big", Queue: "none", Uses: resource.MustList("cpu", "-1", "gpu", "1")},
		Contested: []resource.Name{"gpu"}, Fair: &tenancy.Fair{Strategies: []tenancy.Strategy{tenancy.LessThanInitialShare, tenancy.LessThanInitialShare}},
	})
	assert.EqualError(t, err, `workload big: Queue: there is no queue "none"
workload big: Uses.cpu: it is negative, or no queue has a quota of it
request: Fair.Strategies: there is no way to decide by [LessThanInitialShare LessThanInitialShare]
request: Contested: no queue has a quota of gpu`)
}

// Nothing that a tree can be made of overflows or hangs.
func TestLargeQuotas(t *testing.T) {
	most := resource.MustList("cpu", "9223372036854775807", "memory", "9223372036854775807")
	zero := 0.0
	tree := must(tenancy.NewTree(tenancy.Config{
		Cohorts: []tenancy.Cohort{{Name: "c", Quota: tenancy.Quota{Nominal: most, Weight: &zero}}},
		Queues: []tenancy.Queue{
			{Name: "a", Cohort: "c", Quota: tenancy.Quota{Nominal: most, BorrowLimit: most, LendLimit: most}, Policy: tenancy.Policy{Within: tenancy.Anybody, Reclaim: tenancy.Anybody}},
			{Name: "b", Cohort: "c", Quota: tenancy.Quota{Nominal: most, Weight: &zero}},
		},
	}))
	admitted := []tenancy.Workload{{Name: "x", Queue: "a", Uses: most}, {Name: "y", Queue: "b", Uses: most}, {Name: "z", Queue: "b", Uses: most}}
	_, err := tree.Reclaim(tenancy.Request{Incoming: tenancy.Workload{Name: "in", Queue: "a", Uses: most}, Admitted: admitted})
	assert.EqualError(t, err, "request: Admitted: there is more cpu than can be counted\nrequest: Admitted: there is more memory than can be counted")
	for i := range admitted {
		admitted[i].Uses = resource.MustList("cpu", "2000000000000000")
	}
	for _, fair := range []*tenancy.Fair{nil, {}} {
		a, err := tree.Reclaim(tenancy.Request{Incoming: tenancy.Workload{Name: "in", Queue: "a", Uses: admitted[0].Uses}, Admitted: admitted, Fair: fair})
		require.NoError(t, err)
		assert.Equal(t, preemption.Fits, a.Outcome)
	}
}

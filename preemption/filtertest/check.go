package filtertest

import (
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/clustergen"
)

// Error is what [Check] found: at most one violation of each rule.
type Error struct {
	// Filter is the name of the filter.
	Filter     string
	Violations []Violation
}

// Error lists the violations, each with what shows it.
func (e *Error) Error() string {
	var b strings.Builder
	for i := range e.Violations {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "filter %s: %s", e.Filter, &e.Violations[i])
	}
	return b.String()
}

// Violation is a rule that a filter broke, in the first and smallest cluster that
// showed it.
type Violation struct {
	Rule Rule
	// Text says what was wrong.
	Text string
	// Shape and Seed generate the cluster, before [Options.Prepare]. They are
	// zero where no cluster had a part in it.
	Shape clustergen.Shape
	Seed  uint64
	// Calls are the calls that led there, with their results. Calls that several
	// goroutines made at once are not among them.
	Calls []string
}

// String states the rule, the calls, each on a line of its own, and what was
// wrong.
func (v *Violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "broken rule: %s\n", v.Rule)
	if v.Shape != (clustergen.Shape{}) {
		fmt.Fprintf(&b, "\tcluster: seed %d, Nodes %d, PodsPerNode %d\n", v.Seed, v.Shape.Nodes, v.Shape.PodsPerNode)
	}
	for _, call := range v.Calls {
		fmt.Fprintf(&b, "\t%s\n", call)
	}
	fmt.Fprintf(&b, "\t%s", v.Text)
	return b.String()
}

// Check runs a filter over generated clusters and reports which rules of its
// contract it breaks. The error is nil, an *[Error], an *[outrank.InputError] about
// the options, or one about a Prepare that does not do the same thing twice.
//
// Time is that of some hundred calls of the filter for each cluster, well below
// a second in all for a filter that is as quick as its calls should be. Memory is
// that of one cluster. The filter is called by several goroutines at once for
// [ConcurrencyRule] and by the caller's alone otherwise; all have ended before
// Check returns. Check may be called by several goroutines.
func Check(filter preemption.Filter, options Options) error {
	if err := options.Validate(); err != nil {
		return err
	}
	if filter == nil {
		return fmt.Errorf("%w: no filter", outrank.ErrInvalid)
	}
	c := &checker{filter: filter, options: options.withDefaults(), phases: phases}
	return c.result()
}

// result is what a run found.
func (c *checker) result() error {
	if err := c.run(); err != nil {
		return err
	}
	if len(c.found) == 0 {
		return nil
	}
	return &Error{Filter: c.name, Violations: c.found}
}

// checker is one run of [Check].
type checker struct {
	filter  preemption.Filter
	options Options
	phases  [][]ruleCheck
	name    string
	found   []Violation
	tally   tally
}

// tally counts what happened in all clusters.
type tally struct {
	started, turnedAway int
	// failure is an error of Start.
	failure error
}

func (c *checker) run() error {
	if c.checkName(); len(c.found) > 0 {
		return nil
	}
	for _, checks := range c.phases {
		if err := c.onEveryScene(checks); err != nil || len(c.found) > 0 {
			return err
		}
	}
	c.checkSay()
	return nil
}

// onEveryScene makes some checks on every cluster, each up to the first violation
// that it finds.
func (c *checker) onEveryScene(checks []ruleCheck) error {
	found := make([]*Violation, len(checks))
	for i := range c.options.Clusters {
		s, err := c.newScene(i)
		if err != nil {
			return err
		}
		for at, check := range checks {
			if found[at] != nil {
				continue
			}
			if found[at] = s.try(check); found[at] != nil && found[at].Rule.ends() {
				// What was found before follows from this.
				c.found = []Violation{*found[at]}
				return nil
			}
		}
	}
	for _, v := range found {
		if v != nil {
			c.found = append(c.found, *v)
		}
	}
	return nil
}

// checkName checks [NamedRule] by what a configuration with the filter says.
func (c *checker) checkName() {
	defer func() {
		if p := recover(); p != nil {
			c.found = append(c.found, Violation{Rule: NoPanicRule, Calls: []string{"Name"}, Text: fmt.Sprint("panic: ", p)})
		}
	}()
	c.name = c.filter.Name()
	again := c.filter.Name()
	config := preemption.Config{Filters: []preemption.Filter{c.filter}}
	switch {
	case again != c.name:
		c.found = append(c.found, Violation{Rule: NamedRule, Text: fmt.Sprintf("Name returned %q and then %q", c.name, again)})
	case config.Validate() != nil:
		c.found = append(c.found, Violation{Rule: NamedRule, Text: config.Validate().Error()})
	}
}

// checkSay checks [SayRule].
func (c *checker) checkSay() {
	if c.tally.turnedAway > 0 || c.options.MayBeSilent {
		return
	}
	text := "it said Success to everything: Options.Prepare can add to pods and nodes what it looks at"
	switch {
	case c.tally.started == 0 && c.tally.failure != nil:
		text = "Start returned an error for every pod, such as: " + c.tally.failure.Error()
	case c.tally.started == 0:
		text = "Start returned a nil state for every pod: Options.Prepare can add to pods and nodes what it looks at"
	}
	c.found = append(c.found, Violation{Rule: SayRule, Text: text})
}

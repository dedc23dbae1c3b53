package sim_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/priority"
)

// The language of scenarios. A file has up to three parts:
//
//	Prose: what the story is and why it goes as it does.
//	---
//	Statements, one on a line. Empty lines, and lines that begin with #, are for people.
//	-- log --
//	The events of the run, word for word; may be left out.
//
// First the cluster is described, by
//
//	node NAME cpu=4 [memory=8Gi] [disk=100Gi] [pods=110] [labels=a=b,c=d] [taint=a=b:NoSchedule]
//	class NAME value=100 [policy=Never]
//	budget NAME selector=a=b (min=1 | max=50% | allowed=0)
//	pod NAME node=NODE ...            one that has run there for ever
//	recreate (when-gone | when-evicted) [delay=1s] [raise=10]
//	cycle 100ms                       the time that the scheduler takes for a pod
//	backoff (to-its-end | may-end-early)
//	orders (asynchronous | other-than-asynchronous)    all without it
//	scheduler NAME [spares=a=b] [takes=a=b]
//	kubelets [period=10s] [transition=5m] [retries=6] [order=priority]
//	                                  without it pods run as soon as they are bound
//
// and then the story is told, in the order of time, each line beginning with
// "at" and a time:
//
//	pod NAME [priority=100 | class=NAME] [policy=Never] [cpu=2] [memory=1Gi]
//	    [runs=60s] [grace=30s] [labels=a=b] [on=a=b] [affinity=a=b/zone]
//	    [anti=a=b/zone] [tolerates=a=b] [scheduler=NAME] [gates=a,b]
//	    [disk=1Gi] [qos=Guaranteed] [uses=2Gi] [uses-disk=1Gi]
//	    [node=NODE]   where there are kubelets: it comes to the node past the scheduler
//	    [static=yes]  the same; the node has its file
//	node, budget                      as above; a budget replaces one of its name
//	delete POD, remove NODE, cordon NODE, uncordon NODE, lift BUDGET
//	label POD a=b,c=d                 instead of the labels it has
//	ungate POD                        all its scheduling gates are gone
//	use POD [memory=3Gi] [disk=1Gi]   what it uses from then on, 0 of what is not given
//	expect WHAT because REASON        see scenario_expect_test.go
//
// A pod without runs never ends. Lines of one time happen in their order, and
// what one of them brings about at that time has happened when the next is read.
// A pod that is recreated is called NAME-r1, NAME-r2 and so on.

// scenario is a file that was read.
type scenario struct {
	file string
	// head is the text before the log, log the one after it where hasLog.
	head, log string
	hasLog    bool

	cluster outrank.Cluster
	config  sim.Config
	steps   []scenarioStep
	// orders are the orders of carrying plans out that the story holds for; nil for all.
	orders []execution.Order

	// The rest is for reading. Budgets are those at the time of the statement.
	budgets     []*outrank.PodDisruptionBudget
	classes     []*outrank.PriorityClass
	schedulerOf map[string]string // by the name that a pod was declared with
	declared    map[string]string // the kind of a name: pod, node, class, budget, scheduler
	// mentioned are names that have to be declared somewhere in the file.
	mentioned []mention
	began     bool // the story has
	// scene is set while the scenario is played.
	scene *scene
}

// mention is a name in a statement.
type mention struct {
	*statement
	kind, name string
}

// scenarioStep is a line of the story: a change or an expectation.
type scenarioStep struct {
	place string
	at    time.Duration
	do    sim.Change
	// expect is nil for a change.
	expect *expectation
}

const (
	proseEnd = "---"
	logStart = "-- log --"
)

// parseScenario reads a file. The error names all problems, each with its line.
func parseScenario(file, text string) (*scenario, error) {
	sc := &scenario{file: file, schedulerOf: map[string]string{}, declared: map[string]string{}}
	sc.head, sc.log, sc.hasLog = strings.Cut(text, logStart+"\n")
	lines := strings.Split(sc.head, "\n")
	start := slices.Index(lines, proseEnd)
	if start < 0 || strings.TrimSpace(strings.Join(lines[:start], "")) == "" {
		return nil, errors.New(file + ":1: a scenario begins with its story in prose, and a line of " + proseEnd)
	}
	var errs []error
	for i, line := range lines[start+1:] {
		if s := newStatement(file, start+2+i, line); len(s.words) > 0 && !strings.HasPrefix(s.text, "#") {
			sc.read(s)
			errs = append(errs, s.end())
		}
	}
	errs = append(errs, sc.checkMentions())
	if !slices.ContainsFunc(sc.steps, func(x scenarioStep) bool { return x.expect != nil }) {
		errs = append(errs, errors.New(file+":1: nothing is expected"))
	}
	sc.config.SchedulerOf = sc.schedulerName
	return sc, errors.Join(errs...)
}

func (sc *scenario) read(s *statement) {
	if s.accept("at") {
		if !sc.began {
			sc.began = true
			sc.cluster.Budgets = slices.Clone(sc.budgets)
		}
		sc.readStep(s)
		return
	}
	word := s.next("statement")
	read := map[string]func(*statement){
		"node":      func(s *statement) { sc.cluster.Nodes = append(sc.cluster.Nodes, sc.readNode(s)) },
		"class":     sc.readClass,
		"budget":    sc.readBudget,
		"pod":       sc.readPodThere,
		"recreate":  sc.readRecreate,
		"cycle":     func(s *statement) { sc.config.Cycle = s.duration("cycle") },
		"scheduler": sc.readScheduler,
		"kubelets":  sc.readKubelets,
		"backoff":   sc.readBackoff,
		"orders":    sc.readOrders,
	}[word]
	switch {
	case read == nil:
		s.fail("unknown word %q", word)
	case sc.began:
		s.fail("%s comes after the story has begun, and has no time", word)
	default:
		read(s)
	}
}

func (sc *scenario) readStep(s *statement) {
	step := scenarioStep{place: s.place(), at: s.duration("time")}
	if n := len(sc.steps); n > 0 && step.at < sc.steps[n-1].at {
		s.fail("%v is before the line above, %v", step.at, sc.steps[n-1].at)
	}
	word := s.next("what happens")
	read := map[string]func(*statement) sim.Change{
		"pod":      sc.readPod,
		"node":     func(s *statement) sim.Change { return sim.AddNode(sc.readNode(s)) },
		"budget":   func(s *statement) sim.Change { sc.readBudget(s); return sim.SetBudgets(slices.Clone(sc.budgets)) },
		"lift":     sc.readLift,
		"delete":   func(s *statement) sim.Change { return sim.DeletePod(podKey(sc.mention(s, "pod"))) },
		"remove":   func(s *statement) sim.Change { return sim.RemoveNode(sc.mention(s, "node")) },
		"cordon":   func(s *statement) sim.Change { return sim.Cordon(sc.mention(s, "node")) },
		"uncordon": func(s *statement) sim.Change { return sim.Uncordon(sc.mention(s, "node")) },
		"label":    sc.readLabel,
		"use":      sc.readUse,
		"ungate":   func(s *statement) sim.Change { return sim.SetGates(podKey(sc.mention(s, "pod"))) },
	}[word]
	switch {
	case word == "expect":
		step.expect = sc.readExpectation(s)
	case read == nil:
		s.fail("unknown word %q", word)
	default:
		step.do = read(s)
	}
	sc.steps = append(sc.steps, step)
}

// declare takes the next word as the name of something new.
func (sc *scenario) declare(s *statement, kind string) string {
	name := s.next("name of the " + kind)
	switch {
	case sc.declared[name] != "":
		s.fail("there is a %s called %s already", sc.declared[name], name)
	case slices.Contains(expectWords, name) || remade.MatchString(name):
		s.fail("%q cannot be a name", name)
	default:
		sc.declared[name] = kind
	}
	return name
}

// mention takes the next word as the name of something that is declared above
// or below.
func (sc *scenario) mention(s *statement, kind string) string {
	name := s.next("name of a " + kind)
	sc.mentioned = append(sc.mentioned, mention{s, kind, name})
	return name
}

func (sc *scenario) checkMentions() error {
	var errs []error
	for _, m := range sc.mentioned {
		name := m.name
		if m.kind == "pod" {
			name = original(name)
		}
		if m.err == nil && sc.declared[name] != m.kind {
			m.fail("there is no %s called %s", m.kind, m.name)
			errs = append(errs, m.err)
		}
	}
	return errors.Join(errs...)
}

var remade = regexp.MustCompile(`-r[1-9][0-9]*$`)

// original is the name that a pod, or the one that it was made in place of, was
// declared with.
func original(name string) string { return remade.ReplaceAllString(name, "") }

// podKey is the key of a pod; all of them are in one namespace.
func podKey(name string) outrank.Key { return outrank.NewKey("", name) }

// schedulerName sets the scheduler of the first pod for recreated ones.
func (sc *scenario) schedulerName(p *outrank.Pod) string {
	if name := sc.schedulerOf[original(p.Name)]; name != "" {
		return name
	}
	if len(sc.config.Schedulers) > 0 {
		return sc.config.Schedulers[0].Name
	}
	return outrank.DefaultScheduler
}

// resolve sets the priority and policy of a pod by its class.
func (sc *scenario) resolve(p *outrank.Pod) error {
	table, err := priority.NewTable(sc.classes)
	if err != nil {
		return err
	}
	r, err := table.Resolve(p)
	if err == nil {
		*p = r.Apply(*p)
	}
	return err
}

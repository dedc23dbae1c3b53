package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/backward"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/claimed"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/clock"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/quotas"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// scene is everything that a question is about, whichever question it is.
type scene struct {
	opts *options
	// cluster is the dump, and once follow was called the cluster with the changes made. snap
	// indexes it.
	cluster *outrank.Cluster
	snap    *engine.Snapshot
	// backing has the device classes of the dump and the manifests. devices has the pods whose devices
	// the answer depends on and does not look at.
	backing claimed.Backing
	devices *claimed.Pods
	// limits say what may be created. refused is the answer if the pod in question may not be created,
	// nil otherwise.
	limits  quotas.Limits
	refused *question.NotCreated
	// ask is the kind of question.
	ask inquiry
	// question is the pod in question, nil if the question is about no single pod.
	question   *asking
	schedulers *schedulers
	// now is the time at which the question is asked.
	now      time.Time
	warnings []outrank.Problem
	caveats  []Warning
	// releaseFrom says where the release is from.
	releaseFrom ReleaseSource
	// manifests has the objects of --filename, nil without any. doubts name what the manifests of the
	// changes leave open.
	manifests *manifests
	doubts    []outrank.Problem
	// scenario has the changes, nil if there are none. before is what they set in motion before the
	// turn of the pod in question.
	scenario *question.Scenario
	before   *question.Aftermath
	// was is the cluster as it was, and then has the options that name it. Both are nil unless the
	// question is what has changed.
	was  *loaded
	then *options
	// events lists the events about pods that were pushed out, nil if nobody asks for them or there are
	// none.
	events *backward.Events
}

// look reads the cluster, makes the changes, and finds the pod in question.
func look(opts *options, stdin io.Reader, stderr io.Writer, watch *stopwatch) (*scene, error) {
	s, stdin, err := newScene(opts, stdin, stderr)
	if err != nil {
		return nil, err
	}
	watch.lap("loading")
	if s.limits.Limited, err = opts.readAdmission(); err != nil {
		return nil, err
	}

	// The release comes before everything that its rules decide. An earlier dump and the manifests are
	// read before the next lap starts, as no lap is theirs.
	dump := s.cluster
	from, doubts := settleRelease(opts, dump)
	s.releaseFrom = from
	asked, err := s.settle(stdin)
	if err != nil {
		return nil, err
	}
	if s.ask == askDiff {
		if err := s.readEarlier(stdin, stderr); err != nil {
			return nil, err
		}
	}
	watch.skip()

	if err := s.index(watch); err != nil {
		return nil, err
	}

	// Changes come first: the pod in question is looked for in the cluster that they leave.
	if err := s.change(asked, stdin); err != nil {
		return nil, err
	}
	if s.ask.ofPod() {
		if err := s.find(asked); err != nil {
			return nil, err
		}
	}

	s.caveats = slices.Concat(doubts, s.caveats, aboutClock(opts, dump, s.now), caveats(opts, dump, s.cluster, s.question))
	s.findDevices()
	if len(opts.changes) > 0 {
		s.caveats = append(s.caveats, aboutQuotas(&s.limits)...)
	}
	return s, nil
}

// newScene reads the cluster and, if they are asked about, the events in it. What is left of standard
// input is returned for the readers that follow.
func newScene(opts *options, stdin io.Reader, stderr io.Writer) (*scene, io.Reader, error) {
	stdin, again, err := opts.twice(stdin)
	if err != nil {
		return nil, nil, err
	}
	read, err := load(opts, stdin, stderr)
	if err != nil {
		return nil, nil, err
	}

	s := &scene{opts: opts, cluster: read.Cluster, backing: read.backing, limits: quotas.Limits{Quotas: read.quotas}, now: opts.now}
	if s.events, err = opts.readEvents(read.Cluster, again); err != nil {
		return nil, nil, err
	}
	return s, stdin, nil
}

// index makes the snapshot and the schedulers that decide about it, and settles the time: without
// --now it is that of the dump.
func (s *scene) index(watch *stopwatch) (err error) {
	if s.snap, err = engine.NewSnapshot(s.cluster); err != nil {
		return console.Unusable(s.opts.source(), err)
	}
	watch.lap("indexing")

	if s.schedulers, err = s.opts.readSchedulers(s.cluster.Release); err != nil {
		return err
	}
	if s.now.IsZero() {
		s.now = clock.Of(s.cluster)
	}
	return nil
}

// settle reads the manifests and settles which question is asked. The result is the object of the
// manifests that the question is about, nil if it is about none.
func (s *scene) settle(stdin io.Reader) (asked *input.Template, err error) {
	o := s.opts
	if len(o.manifests()) > 0 {
		if err := s.bringManifests(stdin); err != nil {
			return nil, err
		}
	}

	// kubectl is asked for its namespace only if names may depend on it.
	s.ask = o.asked(s.manifests != nil && s.manifests.one())
	o.ask = s.ask
	if s.ask.ofPod() || len(o.changes) > 0 {
		o.settleNamespace()
	}
	if s.manifests == nil {
		return nil, nil
	}

	if !o.about.atMaximum {
		// With --at-maximum every pod that may be made is asked about.
		s.caveats = append(s.caveats, s.manifests.mayScale()...)
	}
	if !o.fromManifest(s.ask) {
		return nil, nil
	}

	asked, err = o.chosen(s.manifests.templates)
	if err == nil && s.ask == askReplicas && asked.Kind == "DaemonSet" {
		err = fmt.Errorf("--replicas asks about copies of a pod, wherever they go, and %s makes one pod for each node; leave --replicas out", asked)
	}
	return asked, err
}

// bringManifests reads the manifests. --name leaves only the objects of that name, unless it is the
// name of a pod that flags describe.
func (s *scene) bringManifests(stdin io.Reader) error {
	o := s.opts
	m, err := o.readManifests(stdin)
	if err != nil {
		return err
	}
	s.manifests = m
	maps.Copy(s.backing, m.objects.backing)

	if o.set["name"] && !o.described() {
		return m.named(o)
	}
	return nil
}

// change makes the changes. A manifest with nothing but the object in question is no change, and
// questions that are played need a scenario even without changes.
func (s *scene) change(asked *input.Template, stdin io.Reader) error {
	o := s.opts
	if len(o.changes) == 0 && !s.ask.played() || len(o.changes) == 1 && asked != nil && s.manifests.alone() {
		return nil
	}

	set, err := s.setting(nil)
	if err != nil {
		return err
	}
	if s.scenario, err = question.NewScenario(context.Background(), set); err != nil {
		return err
	}

	if err := s.apply(s.scenario, asked, stdin); err != nil {
		return err
	}

	// These questions go on with the scenario themselves.
	if s.ask != askChange && s.ask != askWithout && s.ask != askClasses && !s.ask.played() {
		s.follow()
	}
	return nil
}

// follow makes the scenario, as it stands, the cluster in question.
func (s *scene) follow() {
	set := s.scenario.Setting()
	s.cluster, s.snap, s.limits = set.Cluster, set.Snapshot, set.Limits
}

// find finds the pod in question. What the changes set in motion has its turn before the pod, and so
// have the pods that a scheduler takes before it.
func (s *scene) find(asked *input.Template) (err error) {
	if asked != nil {
		// Several pods of an object get claims of their own each.
		s.question, err = askTemplate(s.opts, asked, s.cluster, s.ask == askReplicas || s.opts.whole(asked))
	} else {
		s.question, err = ask(s.opts, s.cluster)
	}

	if err != nil {
		return err
	}

	// The group of the pod is known only now.
	if s.ask, err = s.opts.withGroup(s.cluster, s.question); err != nil {
		return err
	}

	// A pod that a quota keeps from being created has no turn.
	if s.refused, err = s.refuse(); err != nil {
		return console.Unusable("the resource quotas", err)
	}

	// With another priority other turns come before that of the pod, so that the search for the least
	// priority plays them itself.
	if s.refused != nil || s.scenario == nil || s.ask == askLeast {
		return nil
	}
	// The turns before that of the pod change the cluster that it finds.
	if s.before, err = s.scenario.Before(s.question.pod); err != nil {
		return err
	}
	s.follow()
	return nil
}

// refuse holds the pod in question to the quotas. The result is nil if the pod may be created, or if
// nobody creates it now: it is in the dump already; replicas are held to the quotas one by one in the
// answer to their own question; the largest pod that a search looks for has no size yet; and a kubelet
// runs a static pod whatever the API server says.
func (s *scene) refuse() (*question.NotCreated, error) {
	q := s.question
	s.limits.Deadline, s.limits.PrefersAcross = q.limited.Deadline, q.limited.PrefersAcross

	if q.from == fromDump || s.ask == askReplicas || s.ask == askLargest || s.opts.about.static {
		return nil, nil
	}

	// A question about all pods of an object is refused if not all of them may be created. The number
	// that a DaemonSet makes depends on the nodes.
	pods := 1
	if s.opts.whole(q.template) && q.template.Kind != "DaemonSet" {
		pods = q.template.Replicas
	}
	// The quotas are asked and not charged: no pod is created.
	f, err := s.limits.Admit(q.pod, pods, s.cluster.Release)
	if err != nil || f == nil {
		return nil, err
	}
	return question.RefusedBy(f, q.pod), nil
}

// setting is the scene as package question takes it. It also renews the warnings of the scene, since
// which schedulers decide depends on the question.
func (s *scene) setting(show func(done, total int)) (question.Setting, error) {
	warnings, err := s.schedulers.tried()
	if err != nil {
		return question.Setting{}, err
	}

	set := question.Setting{Cluster: s.cluster, Snapshot: s.snap, Limits: s.limits, Now: s.now, Progress: show}
	if s.question != nil {
		set.Evaluator, warnings, err = s.schedulers.forPod(s.question.pod)
	} else {
		set.Evaluator, err = s.schedulers.evaluator(preemption.Config{Profile: preemption.Profile{Schedulers: s.schedulers.names()}})
	}

	// Without a file one scheduler decides for every pod, whatever the name of the pod's scheduler.
	if s.schedulers.read != nil {
		set.Scheduler, set.Scores = s.schedulers.named, s.schedulers.scores
	}
	s.warn(warnings)
	return set, err
}

// warn sets the warnings of the scene: those about the scheduler, the dump, the manifests of the
// changes, and the manifest of the pod in question.
func (s *scene) warn(scheduler []outrank.Problem) {
	s.warnings = append(scheduler, s.cluster.Warnings()...)
	s.warnings = append(s.warnings, s.doubts...)
	if s.question != nil {
		s.warnings = append(s.warnings, s.question.warnings...)
	}
}

// stopwatch measures the steps that --timings reports.
type stopwatch struct {
	// last is the time at which the step at hand began, text has the steps so far.
	last time.Time
	text string
}

// lap ends a step and begins the next one.
func (s *stopwatch) lap(step string) {
	took := time.Since(s.last)
	if s.text != "" {
		s.text += ", "
	}
	s.text += fmt.Sprintf("%s took %.3f s", step, took.Seconds())
	s.skip()
}

// skip begins the next step now, so that the time since the last one belongs to no step.
func (s *stopwatch) skip() { s.last = time.Now() }

// String returns the steps with their times.
func (s *stopwatch) String() string { return s.text }

// findDevices finds the pods whose devices the answer depends on: the pod in question and, if others
// take turns, too, the pods that wait and those that may lose their place and be recreated.
func (s *scene) findDevices() {
	var asked *outrank.Pod
	if s.question != nil {
		asked = s.question.pod
	}

	var others []*outrank.Pod
	if !s.ask.ofPod() || s.ask == askGroup || s.ask == askOnNode || s.scenario != nil || s.opts.set["replacements"] {
		others = s.claiming(asked)
	}

	s.devices = claimed.Find(s.backing, asked, others)
	for _, w := range s.devices.Caveats() {
		s.caveats = append(s.caveats, Warning(w))
	}
}

// claiming returns the pods that claim devices and may have a turn, but for the one in question. It looks
// at the dump, at the cluster with the changes and at the cluster as it was, and returns each pod once,
// sorted by key. Without changes a pod that runs has a turn only if it is pushed out, and that takes a
// higher priority than its own among the pod in question and the pods that wait.
func (s *scene) claiming(asked *outrank.Pod) []*outrank.Pod {
	highest := int32(math.MinInt32)
	if asked != nil {
		highest = asked.PriorityValue()
	}

	all := map[outrank.Key]*outrank.Pod{}
	see := func(p *outrank.Pod) {
		// Pods that wait are of any priority, and the highest of them may push out the most.
		if p.NodeName == "" {
			highest = max(highest, p.PriorityValue())
		}
		if !p.Finished() && s.backing.Concerns(p) && (asked == nil || p.Key() != asked.Key()) && all[p.Key()] == nil {
			all[p.Key()] = p
		}
	}

	if s.scenario != nil {
		for p := range s.scenario.Snapshot().Pods() {
			see(p)
		}
	}

	// A pod of the changed cluster counts before its copy in the dump, as it was seen first.
	lists := [][]*outrank.Pod{s.cluster.Pods}
	if s.was != nil {
		lists = append(lists, s.was.Pods)
	}
	for _, list := range lists {
		for _, p := range list {
			see(p)
		}
	}

	maps.DeleteFunc(all, func(_ outrank.Key, p *outrank.Pod) bool {
		return s.scenario == nil && p.NodeName != "" && p.PriorityValue() >= highest
	})
	return slices.SortedFunc(maps.Values(all), func(a, b *outrank.Pod) int { return cmp.Compare(a.Key(), b.Key()) })
}

// judged is the exit status of an answer: unknown if it depends on devices. Reports, their comparison,
// changes of classes and questions about the past do not.
func (s *scene) judged(exit int) int {
	if !slices.Contains([]inquiry{askReport, askDiff, askClasses, askBackward}, s.ask) && s.devices.Hidden(exit < exitStays) {
		return exitUnknown
	}
	return exit
}

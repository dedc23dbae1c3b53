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

// scene is everything that a question is about, whichever it is.
type scene struct {
	opts    *options
	cluster *outrank.Cluster
	// backing are the device classes of the dump and the manifests, and devices those pods whose
	// devices the answer does not look at.
	backing claimed.Backing
	devices *claimed.Pods
	// limits say what may be created; refused is the answer where the pod in question may not be.
	limits  quotas.Limits
	refused *question.NotCreated
	// ask is the question.
	ask inquiry
	// question is nil where it is about no single pod.
	question   *asking
	snap       *engine.Snapshot
	schedulers *schedulers
	now        time.Time
	warnings   []outrank.Problem
	caveats    []Warning
	// releaseFrom is the source of the release.
	releaseFrom ReleaseSource
	// manifests are those of --filename; doubts are about gaps in them.
	manifests *manifests
	doubts    []outrank.Problem
	// scenario has the changes, nil where there are none; before is what they set in motion
	// before the turn of the pod in question.
	scenario *question.Scenario
	before   *question.Aftermath
	// was is the cluster as it was, with the options that name it, where somebody asks what has changed.
	was  *loaded
	then *options
	// events are those at hand about pods that were pushed out, nil for none.
	events *backward.Events
}

// look reads the cluster, makes the changes, and finds the pod in question.
func look(opts *options, stdin io.Reader, stderr io.Writer, watch *stopwatch) (*scene, error) {
	stdin, again, err := opts.twice(stdin)
	if err != nil {
		return nil, err
	}

	// What there is.
	read, err := load(opts, stdin, stderr)
	if err != nil {
		return nil, err
	}
	cluster := read.Cluster
	s := &scene{opts: opts, cluster: cluster, backing: read.backing, limits: quotas.Limits{Quotas: read.quotas}, now: opts.now}
	if s.events, err = opts.readEvents(cluster, again); err != nil {
		return nil, err
	}
	watch.lap("loading")
	if s.limits.Limited, err = opts.readAdmission(); err != nil {
		return nil, err
	}

	// What is asked, by which release. An earlier dump and the manifests are read before the clock of the
	// next lap starts.
	var doubts []Warning
	s.releaseFrom, doubts = settleRelease(opts, cluster)
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

	// The state to ask, and who asks. Without a time of its own the question is asked at that of the dump.
	if s.snap, err = engine.NewSnapshot(cluster); err != nil {
		return nil, console.Unusable(opts.source(), err)
	}
	watch.lap("indexing")
	if s.schedulers, err = opts.readSchedulers(cluster.Release); err != nil {
		return nil, err
	}
	if s.now.IsZero() {
		s.now = clock.Of(cluster)
	}

	// Changes come first, and the pod is looked for in what they leave.
	if err := s.change(asked, stdin); err != nil {
		return nil, err
	}
	if s.ask.ofPod() {
		if err := s.find(asked); err != nil {
			return nil, err
		}
	}

	// What the answer cannot know.
	s.caveats = slices.Concat(doubts, s.caveats, aboutClock(opts, cluster, s.now), caveats(opts, cluster, s.cluster, s.question))
	s.findDevices()
	if len(opts.changes) > 0 {
		s.caveats = append(s.caveats, aboutQuotas(&s.limits)...)
	}
	return s, nil
}

// settle reads the manifests and settles the question with them: asked is the object that it is
// about, nil for none.
func (s *scene) settle(stdin io.Reader) (asked *input.Template, err error) {
	o := s.opts
	if len(o.manifests()) > 0 {
		if s.manifests, err = o.readManifests(stdin); err != nil {
			return nil, err
		}
		maps.Copy(s.backing, s.manifests.objects.backing)
		if o.set["name"] && !o.described() {
			if err := s.manifests.named(o); err != nil {
				return nil, err
			}
		}
	}
	s.ask = o.asked(s.manifests != nil && s.manifests.one())
	if o.ask = s.ask; s.ask.ofPod() || len(o.changes) > 0 {
		o.settleNamespace()
	}
	if s.manifests == nil {
		return nil, nil
	}
	if !o.about.atMaximum {
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

// change makes the changes, if there are any beside the pod in question.
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
	if s.ask != askChange && s.ask != askWithout && s.ask != askClasses && !s.ask.played() {
		s.follow()
	}
	return nil
}

// follow takes the scenario as it stands for the cluster in question.
func (s *scene) follow() {
	set := s.scenario.Setting()
	s.cluster, s.snap, s.limits = set.Cluster, set.Snapshot, set.Limits
}

// find finds the pod in question. Whatever the changes set in motion, and whatever a scheduler
// takes before it, has its turn first.
func (s *scene) find(asked *input.Template) (err error) {
	if asked != nil {
		s.question, err = askTemplate(s.opts, asked, s.cluster, s.ask == askReplicas || s.opts.whole(asked))
	} else {
		s.question, err = ask(s.opts, s.cluster)
	}
	if err != nil {
		return err
	}
	if s.ask, err = s.opts.withGroup(s.cluster, s.question); err != nil {
		return err
	}
	if s.refused, err = s.refuse(); err != nil {
		return console.Unusable("the resource quotas", err)
	}
	if s.refused != nil || s.scenario == nil || s.ask == askLeast {
		return err // with another priority another turn comes before it
	}
	if s.before, err = s.scenario.Before(s.question.pod); err != nil {
		return err
	}
	s.follow()
	return nil
}

// refuse holds the pod in question to the quotas, unless it is there already: nil where it may be
// created. Replicas are held to them one by one, in their own question; what a search for the largest
// pod would create has no size yet; and a kubelet runs a static pod whatever the API server says.
func (s *scene) refuse() (*question.NotCreated, error) {
	q := s.question
	s.limits.Deadline, s.limits.PrefersAcross = q.limited.Deadline, q.limited.PrefersAcross
	if q.from == fromDump || s.ask == askReplicas || s.ask == askLargest || s.opts.about.static {
		return nil, nil
	}
	pods := 1
	if s.opts.whole(q.template) && q.template.Kind != "DaemonSet" {
		pods = q.template.Replicas
	}
	f, err := s.limits.Admit(q.pod, pods, s.cluster.Release)
	if err != nil || f == nil {
		return nil, err
	}
	return question.RefusedBy(f, q.pod), nil
}

// setting is the scene in the form of package question.
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
	if s.schedulers.read != nil {
		set.Scheduler, set.Scores = s.schedulers.named, s.schedulers.scores
	}
	s.warn(warnings)
	return set, err
}

// warn adds the warnings about the dump and the manifest to those about the scheduler.
func (s *scene) warn(scheduler []outrank.Problem) {
	s.warnings = append(scheduler, s.cluster.Warnings()...)
	s.warnings = append(s.warnings, s.doubts...)
	if s.question != nil {
		s.warnings = append(s.warnings, s.question.warnings...)
	}
}

// stopwatch measures the steps that --timings reports.
type stopwatch struct {
	last time.Time
	text string
}

func (s *stopwatch) lap(step string) {
	took := time.Since(s.last)
	if s.text != "" {
		s.text += ", "
	}
	s.text += fmt.Sprintf("%s took %.3f s", step, took.Seconds())
	s.skip()
}

// skip leaves the time since the last step out.
func (s *stopwatch) skip() { s.last = time.Now() }

func (s *stopwatch) String() string { return s.text }

// findDevices finds the pods whose devices the answer hangs on: the one in question; where others
// take turns, too, those that wait, and those that may lose their place and be recreated.
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

// claiming are the pods beside the one in question that claim devices and may have a turn, in the
// dump as it is and as changed, each once, sorted. Without changes a pod has none whose priority is
// as high as that of everybody who waits.
func (s *scene) claiming(asked *outrank.Pod) []*outrank.Pod {
	highest := int32(math.MinInt32)
	if asked != nil {
		highest = asked.PriorityValue()
	}
	all := map[outrank.Key]*outrank.Pod{}
	see := func(p *outrank.Pod) {
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

// judged is the exit status of an answer: unknown where it hangs on devices. Reports, their comparison,
// changes of classes and questions about the past do not.
func (s *scene) judged(exit int) int {
	if !slices.Contains([]inquiry{askReport, askDiff, askClasses, askBackward}, s.ask) && s.devices.Hidden(exit < exitStays) {
		return exitUnknown
	}
	return exit
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
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

// scene is everything that a question is about, for every kind of question.
type scene struct {
	opts *options
	// cluster is the dump; follow replaces it by the cluster with the changes. snap indexes it.
	cluster *outrank.Cluster
	snap    *engine.Snapshot
	// backing has the device classes of the dump and of the manifests. devices has the pods on whose devices
	// the answer depends, although devices are not looked at.
	backing claimed.Backing
	devices *claimed.Pods
	// limits say which pods may be created. refused is the answer if the pod in question may not be created,
	// and nil otherwise.
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
	// manifests has the objects of --filename, or nil. doubts name what the manifests of the changes leave
	// open.
	manifests *manifests
	doubts    []outrank.Problem
	// scenario has the changes, or is nil. before tells what they set in motion before the turn of the pod in
	// question.
	scenario *question.Scenario
	before   *question.Aftermath
	// was is the earlier cluster of --diff, and then has the options that name it. Both are nil unless the
	// question is what has changed.
	was  *loaded
	then *options
	// events lists events about pods that were pushed out. It is nil unless the question needs them and there
	// are some.
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

	// Rules depend on the release, so that it is settled first. The time for reading an earlier dump and the
	// manifests is not part of any lap.
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

	// The pod in question is looked for in the cluster as the changes leave it.
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

// newScene reads the cluster and, if the question needs them, the events in it. It returns what is left of
// standard input for the readers that follow.
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

// index makes the snapshot and the schedulers that decide about it. It also settles the time, which without
// --now is taken from the dump.
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

// settle reads the manifests and settles which question is asked. It returns the object of the manifests that
// the question is about, or nil.
func (s *scene) settle(stdin io.Reader) (asked *input.Template, err error) {
	o := s.opts
	if len(o.manifests()) > 0 {
		if err := s.bringManifests(stdin); err != nil {
			return nil, err
		}
	}

	// kubectl is asked for its namespace only if a name may depend on it.
	s.ask = o.asked(s.manifests != nil && s.manifests.one())
	o.ask = s.ask
	if s.ask.ofPod() || len(o.changes) > 0 {
		o.settleNamespace()
	}
	if s.manifests == nil {
		return nil, nil
	}

	if !o.about.atMaximum {
		// With --at-maximum the question is about every pod that may be made, so that the caveat does not
		// apply.
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

// bringManifests reads the manifests. --name leaves only the objects of that name, unless it names a pod that
// flags describe.
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

// change makes the changes. A manifest that holds only the object in question is no change. Questions that are
// played need a scenario even without changes.
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

	// The other questions continue the scenario themselves.
	if s.ask != askChange && s.ask != askWithout && s.ask != askClasses && !s.ask.played() {
		s.follow()
	}
	return nil
}

// follow makes the scenario in its present state the cluster in question.
func (s *scene) follow() {
	set := s.scenario.Setting()
	s.cluster, s.snap, s.limits = set.Cluster, set.Snapshot, set.Limits
}

// find finds the pod in question. Before the turn of that pod, the pods that the changes set in motion and the
// pods that a scheduler takes first have theirs.
func (s *scene) find(asked *input.Template) (err error) {
	if asked != nil {
		// Each pod of an object with several gets its own claims.
		s.question, err = askTemplate(s.opts, asked, s.cluster, s.ask == askReplicas || s.opts.whole(asked))
	} else {
		s.question, err = ask(s.opts, s.cluster)
	}

	if err != nil {
		return err
	}

	// Whether the pod belongs to a group is known only now.
	if s.ask, err = s.opts.withGroup(s.cluster, s.question); err != nil {
		return err
	}

	// A pod that a quota keeps from being created has no turn.
	if s.refused, err = s.refuse(); err != nil {
		return console.Unusable("the resource quotas", err)
	}

	// The search for the least priority plays the turns before the pod itself, because they depend on its
	// priority.
	if s.refused != nil || s.scenario == nil || s.ask == askLeast {
		return nil
	}
	// The pod finds the cluster as those turns have left it.
	if s.before, err = s.scenario.Before(s.question.pod); err != nil {
		return err
	}
	s.follow()
	return nil
}

// refuse holds the pod in question to the quotas. It returns nil if the pod may be created, or if nothing is to
// be created here: a pod of the dump exists; replicas are held to the quotas one by one in their own answer;
// the largest pod that a search looks for has no size yet; and a kubelet runs a static pod whatever the API
// server says.
func (s *scene) refuse() (*question.NotCreated, error) {
	q := s.question
	s.limits.Deadline, s.limits.PrefersAcross = q.limited.Deadline, q.limited.PrefersAcross

	if q.from == fromDump || s.ask == askReplicas || s.ask == askLargest || s.opts.about.static {
		return nil, nil
	}

	// A question about all pods of an object is refused unless all of them may be created. The number of pods
	// of a DaemonSet depends on the nodes.
	pods := 1
	if s.opts.whole(q.template) && q.template.Kind != "DaemonSet" {
		pods = q.template.Replicas
	}
	// The quotas are not charged, because no pod is created here.
	f, err := s.limits.Admit(q.pod, pods, s.cluster.Release)
	if err != nil || f == nil {
		return nil, err
	}
	return question.RefusedBy(f, q.pod), nil
}

// setting returns the scene in the form that package question takes. It also renews the warnings of the scene,
// because the question determines which schedulers decide.
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

	// Without a file one scheduler decides about every pod, whatever scheduler the pod names.
	if s.schedulers.read != nil {
		set.Scheduler, set.Scores = s.schedulers.named, s.schedulers.scores
	}
	s.warn(warnings)
	return set, err
}

// warn sets the warnings of the scene: about the scheduler, the dump, the manifests of the changes, and the
// manifest of the pod in question.
func (s *scene) warn(scheduler []outrank.Problem) {
	s.warnings = append(scheduler, slices.DeleteFunc(s.cluster.Warnings(), s.toldAsCaveat)...)
	s.warnings = append(s.warnings, s.doubts...)
	if s.question != nil {
		s.warnings = append(s.warnings, s.question.warnings...)
	}
}

// toldAsCaveat reports whether a caveat says what a warning about the cluster says: that the dump lacks claims, or
// namespaces whose labels are selected, and what is not known of the claims of the pod in question.
func (s *scene) toldAsCaveat(w outrank.Problem) bool {
	if w.Object == "cluster" && w.Field == "Claims" || strings.HasPrefix(w.Object, "namespace ") && w.Field == "metadata.labels" {
		return true
	}
	if s.question == nil {
		return false
	}

	p := s.question.pod
	return w.Object == "pod "+string(p.Key()) && w.Field == "spec.volumes" ||
		w.Field == "spec.volumeName" && slices.ContainsFunc(p.Volumes, func(v outrank.Volume) bool {
			return w.Object == "persistentvolumeclaim "+string(outrank.NewKey(p.Namespace, v.Claim))
		})
}

// stopwatch measures the steps that --timings reports.
type stopwatch struct {
	// last is the time at which the current step began, and text has the steps so far.
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

// skip begins the next step now. The time since the last step is counted for none.
func (s *stopwatch) skip() { s.last = time.Now() }

// String returns the steps with their times.
func (s *stopwatch) String() string { return s.text }

// findDevices finds the pods on whose devices the answer depends: the pod in question and, if others take
// turns, waiting pods and pods that may lose their place and be recreated.
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

// claiming returns the pods that claim devices and may have a turn, except the one in question. It looks at the
// dump, at the cluster with the changes and at the earlier cluster, and returns each pod once, sorted by key.
// Without changes a running pod has a turn only if it is pushed out, which takes a higher priority among the
// pod in question and the pods that wait.
func (s *scene) claiming(asked *outrank.Pod) []*outrank.Pod {
	highest := int32(math.MinInt32)
	if asked != nil {
		highest = asked.PriorityValue()
	}

	all := map[outrank.Key]*outrank.Pod{}
	see := func(p *outrank.Pod) {
		// Waiting pods may have any priority. The highest of them decides which running pods can be pushed out.
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

	// A pod is returned as it was first seen, so that the changed cluster comes before the dump.
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

// judged returns the exit status of an answer, which is exitUnknown if the answer depends on devices. Reports,
// their comparison, changes of classes and questions about the past do not depend on them.
func (s *scene) judged(exit int) int {
	if !slices.Contains([]inquiry{askReport, askDiff, askClasses, askBackward}, s.ask) && s.devices.Hidden(exit < exitStays) {
		return exitUnknown
	}
	return exit
}

package differential

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
	schedulerconfig "github.com/outrank-go/outrank/preemption/scheduler/config"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
)

// ScoreCount counts what was compared.
type ScoreCount struct {
	// Pods counts the pods that were tried.
	Pods int
	// Placed counts the pods that were given a place, Scored the pods that had a choice among several nodes.
	Placed, Scored int
	// Tied counts the pods with several best nodes.
	Tied int
	// Scores counts the scores that plugins gave to nodes.
	Scores int
	// Unreadable counts the pods with preferences that neither side can read.
	Unreadable int
	// Longest is the largest number of pods of a case that were placed one after the other.
	Longest int
}

// RunScores puts a case to both sides. Each pod is scored, placed and bound before the next one is tried.
// RunScores returns the differences, and ends with the first pod that has some.
func (h *Harness) RunScores(c *ScoreCase, n *ScoreCount) (differences []string, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p, err := newPlacer(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	defer p.sched.SchedulingQueue.Close()
	o, err := h.newScoring(c)
	if err != nil {
		return nil, fmt.Errorf("outrank: %w", err)
	}

	placed := 0
	for _, pod := range c.Waiting {
		if err := p.place(ctx, pod); err != nil {
			return nil, fmt.Errorf("reference: %w", err)
		}
		n.Pods++
		found, err := o.compare(ctx, p, outrank.NewKey(pod.Namespace, pod.Name), n)
		if err != nil || len(found) > 0 {
			return found, err
		}

		// Both sides take the reference's place. A pod without one goes, so that its nomination holds no room.
		key := outrank.NewKey(pod.Namespace, pod.Name)
		if p.host == "" {
			err = errors.Join(p.in.pods.remove(pod), o.snap.RemovePod(key))
		} else {
			placed++
			err = errors.Join(p.bind(pod, p.host), o.snap.Bind(key, p.host))
		}
		if err != nil {
			return nil, err
		}
	}
	n.Longest = max(n.Longest, placed)
	return nil, nil
}

// scoring is outrank's side of a case.
type scoring struct {
	snap   *engine.Snapshot
	eval   *engine.Evaluator
	scorer *score.Scorer
}

// newScoring makes outrank's side of a case, with the settings of its file.
func (h *Harness) newScoring(c *ScoreCase) (*scoring, error) {
	// A case is converted with one preemptor, which stands for any pod that waits.
	whole := *c.Case
	whole.Pods, whole.Preemptor = slices.Concat(c.Pods, c.Waiting[1:]), c.Waiting[0]
	cluster, err := h.Convert(&whole)
	if err != nil {
		return nil, err
	}
	cluster.Release = h.Release

	file, err := schedulerconfig.Read(h.Release, bytes.NewReader(c.File))
	if err != nil {
		return nil, err
	}
	profile, ok := file.Profile(corev1.DefaultSchedulerName)
	if !ok || len(profile.Unsupported)+len(profile.UnsupportedScores) > 0 {
		return nil, fmt.Errorf("the profile is not supported: %v %v", profile.Unsupported, profile.UnsupportedScores)
	}
	selector := schedulerconfig.SpreadSelector(c.workloads())
	profile.Config.Profile.SpreadSelector, profile.Scores.SpreadSelector = selector, selector

	o := &scoring{}
	if o.snap, err = engine.NewSnapshot(cluster); err != nil {
		return nil, err
	}
	if o.eval, err = engine.New(profile.Config); err != nil {
		return nil, err
	}
	if o.scorer, err = score.New(profile.Scores); err != nil {
		return nil, err
	}
	return o, nil
}

// workloads returns the services and controllers of a case in the form in which package schedulerconfig takes
// them.
func (c *ScoreCase) workloads() (all []schedulerconfig.Workload) {
	add := func(kind string, o metav1.Object, s *metav1.LabelSelector) {
		w := schedulerconfig.Workload{Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName()}
		if s != nil {
			w.Selector = &outrank.LabelSelector{MatchLabels: s.MatchLabels}
			for _, r := range s.MatchExpressions {
				w.Selector.MatchExpressions = append(w.Selector.MatchExpressions, outrank.Requirement{Key: r.Key, Operator: outrank.Operator(r.Operator), Values: r.Values})
			}
		}
		all = append(all, w)
	}

	// A service or a controller without a selector selects nothing; an empty selector is another thing.
	plain := func(m map[string]string) *metav1.LabelSelector {
		if m == nil {
			return nil
		}
		return &metav1.LabelSelector{MatchLabels: m}
	}

	for _, o := range c.Services {
		add("Service", o, plain(o.Spec.Selector))
	}
	for _, o := range c.Controllers {
		add("ReplicationController", o, plain(o.Spec.Selector))
	}
	for _, o := range c.ReplicaSets {
		add("ReplicaSet", o, o.Spec.Selector)
	}
	for _, o := range c.StatefulSets {
		add("StatefulSet", o, o.Spec.Selector)
	}
	return all
}

// compare compares outrank's scores for a pod with those of the reference's attempt.
func (o *scoring) compare(ctx context.Context, p *placer, key outrank.Key, n *ScoreCount) (differences []string, err error) {
	pod, ok := o.snap.Pod(key)
	if !ok {
		return nil, fmt.Errorf("%s is not in the snapshot", key)
	}
	c := comparison{key: key}
	c.ranked, err = o.scorer.Rank(ctx, o.eval, o.snap, pod)

	// A pod that neither side can read is no difference. A pod that merely fits nowhere has been read.
	var unfit *framework.FitError
	isUnfit := errors.As(p.failed, &unfit)
	if errors.Is(err, outrank.ErrInvalid) && p.failed != nil && !isUnfit {
		n.Unreadable++
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("outrank: %s: %w; the reference says %v", key, err, p.failed)
	}
	for _, node := range c.ranked.Nodes {
		c.ours = append(c.ours, node.Name)
	}

	if p.host == "" {
		if len(c.ours) > 0 || !isUnfit {
			c.differ("the reference finds no place (%v), outrank %v", p.failed, c.ours)
		}
		return c.differences, nil
	}
	n.Placed++

	// The reference takes the only node without a score.
	if p.scores == nil {
		if !slices.Equal(c.ours, []string{p.host}) {
			c.differ("the reference takes the only node %s, outrank finds %v", p.host, c.ours)
		}
		return c.differences, nil
	}
	n.Scored++

	if c.sameNodes(p.scores) {
		for i := range p.scores {
			n.Scores += c.node(&p.scores[i])
		}
		err = o.compareChoice(ctx, &c, pod, p, n)
	}
	return c.differences, err
}

// comparison compares the two sides' scores for one pod.
type comparison struct {
	key         outrank.Key
	ranked      *score.Ranking
	ours        []string // the nodes of the ranking
	differences []string
}

func (c *comparison) differ(format string, args ...any) {
	c.differences = append(c.differences, string(c.key)+": "+fmt.Sprintf(format, args...))
}

// sameNodes reports whether both sides score the same nodes, in whatever order.
func (c *comparison) sameNodes(scores []fwk.NodePluginScores) bool {
	theirs := namesOf(scores)
	if slices.Equal(slices.Sorted(slices.Values(c.ours)), slices.Sorted(slices.Values(theirs))) {
		return true
	}
	c.differ("the reference scores %v, outrank %v", theirs, c.ours)
	return false
}

// node compares the scores of a node, by plugin and in total, and returns the number of scores.
func (c *comparison) node(scored *fwk.NodePluginScores) int {
	at := slices.Index(c.ours, scored.Name)
	raw := rawScores(scored)

	// The reference's final scores are multiplied by the plugins' weights already.
	want := map[string]int64{}
	for _, s := range scored.Scores {
		want[s.Name] = s.Score
	}
	for _, s := range raw {
		want["raw "+s.Name] = s.Score
	}
	// These two plugins score nothing here, and outrank does not have them.
	for _, name := range []string{"DynamicResources", "VolumeBinding"} {
		if want[name] == 0 {
			delete(want, name)
			delete(want, "raw "+name)
		}
	}

	got := map[string]int64{}
	for _, column := range c.ranked.Plugins {
		got[column.Plugin] = column.Normalized[at] * column.Weight
		if raw != nil {
			got["raw "+column.Plugin] = column.Raw[at]
		}
	}

	if total := c.ranked.Totals[at]; !maps.Equal(want, got) || scored.TotalScore != total {
		c.differ("node %s: the reference has %v, in all %d, outrank %v, in all %d", scored.Name, want, scored.TotalScore, got, total)
	}
	return len(got)
}

// compareChoice compares the nodes that the two sides take. Outrank scores the nodes once more in the reference's
// order, because the order decides a tie.
func (o *scoring) compareChoice(ctx context.Context, c *comparison, pod *outrank.Pod, p *placer, n *ScoreCount) error {
	theirs := namesOf(p.scores)
	nodes := make([]*outrank.Node, len(theirs))
	for i, name := range theirs {
		var ok bool
		if nodes[i], ok = o.snap.Node(name); !ok {
			return fmt.Errorf("no node %s", name)
		}
	}

	again, err := o.scorer.Score(ctx, o.snap, pod, nodes)
	if err != nil {
		return err
	}
	if len(again.Best()) > 1 {
		n.Tied++
	}
	if chosen := again.Choose(nil); chosen.Name != p.host {
		c.differ("the reference takes %s of %v, outrank %s", p.host, theirs, chosen.Name)
	}
	return nil
}

func namesOf(scores []fwk.NodePluginScores) []string {
	names := make([]string, len(scores))
	for i := range scores {
		names[i] = scores[i].Name
	}
	return names
}

// rawScores returns the scores before normalization; nil for a release that does not tell them.
func rawScores(s *fwk.NodePluginScores) []fwk.PluginScore {
	f := reflect.ValueOf(s).Elem().FieldByName("RawScores")
	if !f.IsValid() {
		return nil
	}
	return f.Interface().([]fwk.PluginScore)
}

package main

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank/examples/internal/stamp"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/backward"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/inverse"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/report"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/preemption/explain"
)

// answered asks a question whose answer has a form of its own, other than the explanation of one decision. It
// calls show with the progress.
func (s *scene) answered(show func(done, total int)) (*answeredQuestion, error) {
	set, err := s.setting(show)
	if err != nil {
		return nil, err
	}
	out := &answeredQuestion{scene: s}
	ctx := context.Background()

	// A pod that would not be created has no other answer.
	if s.refused != nil {
		return out, out.take(s.refused, nil)
	}

	switch s.ask {
	case askWhyNot, askOnNode, askReplicas, askAcross:
		err = out.aboutPod(ctx, set)
	case askGroup:
		err = out.group(ctx, set)
	case askAll:
		err = out.pending(ctx, set)
	case askLeast, askLargest, askEmpty:
		err = out.search(ctx, set, show)
	case askReport, askDiff:
		err = out.report(ctx, show)
	default:
		err = out.aboutScenario(show)
	}
	return out, err
}

// aboutPod asks a question about one pod. Questions that a search answers are not among them.
func (q *answeredQuestion) aboutPod(ctx context.Context, set question.Setting) error {
	s, about := q.scene, q.scene.opts.about
	switch s.ask {
	case askWhyNot:
		if err := nodeKnown(s.snap, "why-not", about.whyNot); err != nil {
			return err
		}
		return q.take(question.AskWhyNot(ctx, set, s.question.pod, about.whyNot))

	case askOnNode:
		if err := nodeKnown(s.snap, "on-node", about.onNode); err != nil {
			return err
		}
		binding := question.Binding{Pod: s.question.pod, Node: about.onNode, Static: about.static, Depth: about.replacements}
		return q.take(question.AskOnNode(ctx, set, binding))

	case askReplicas:
		return q.take(question.AskReplicas(ctx, set, s.question.pod, about.replicas))
	}
	return q.take(question.AskAcross(ctx, set, s.question.pod))
}

// pending asks what becomes of all pods that wait. Pods of other namespaces compete too, and only the answer
// leaves them out.
func (q *answeredQuestion) pending(ctx context.Context, set question.Setting) error {
	all, err := question.AllPending(ctx, set)
	if err != nil {
		return console.Unusable(q.scene.opts.source(), err)
	}
	if q.scene.opts.set["namespace"] {
		all = all.Of(q.scene.opts.pod.namespace)
	}
	return q.take(all, nil)
}

// aboutScenario asks what follows from what has happened to the cluster, or could.
func (q *answeredQuestion) aboutScenario(show func(done, total int)) error {
	s := q.scene
	switch s.ask {
	case askClasses:
		return q.take(s.scenario.Classes())

	case askNodes:
		s.scenario.Watch(show)
		if err := nodeKnown(s.scenario.Snapshot(), "more-nodes", s.opts.about.moreNodes); err != nil {
			return err
		}
		return q.take(s.scenario.MoreNodes(s.opts.about.moreNodes, question.MostMoreNodes))

	case askBackward:
		// This takes long enough to be watched.
		s.scenario.Watch(show)
		answer, err := s.pushedOut()
		if err != nil {
			return err
		}
		return q.take(answer, nil)
	}

	s.scenario.Watch(show)
	aftermath, err := s.scenario.Aftermath()
	if err != nil {
		return console.Unusable(s.opts.source(), err)
	}

	// The page shows the cluster as it stands afterwards.
	if s.snap, err = s.scenario.Stage(); err != nil {
		return err
	}
	return q.take(aftermath, nil)
}

// take records an answer with its exit status.
func (q *answeredQuestion) take(r reply, err error) error {
	if err != nil {
		if q.scene.question != nil {
			return console.Unusable("the pod", err)
		}
		return console.Unusable(q.scene.opts.source(), err)
	}

	q.reply, q.exit = r, exitOf(r)

	// A change that could not be made lets an answer about the cluster exit as if a pod had no place. An answer
	// about a pod says only what becomes of that pod.
	if q.scene.unmade() && !q.scene.ask.ofPod() {
		q.exit = exitStays
	}
	return nil
}

// exitOf is the exit status of an answer: everything fits, pods have to leave, or a pod finds
// no room.
func exitOf(r reply) int {
	switch r := r.(type) {
	// With many pods, the pod that fares worst decides.
	case *question.Pending:
		return worst(r.Totals.Waits+r.Totals.Unplaced, r.Totals.PushesOut)
	case *question.Aftermath:
		without := r.Totals.Stranded
		if len(r.Nodes) > 0 {
			without = r.Totals.Waits + r.Totals.Unplaced + len(r.Lost)
		}
		return worst(without+r.Totals.Forbidden+r.Totals.Unresized, r.Totals.Victims)
	case *question.Replicas:
		// The question ends with a replica that finds no room, so that at most one is without.
		stopped := 0
		if r.Stopped || r.Forbidden != nil {
			stopped = 1
		}
		return worst(stopped, r.Victims)
	case *question.WholeGroup:
		return exitOfGroup(r)
	case *question.ClassImpact:
		return worst(0, r.Anybody.AsTheyStand.Gained+r.Anybody.Again.Gained)
	case *report.Report:
		return worst(r.Stays(), r.Leaves())
	case *report.Comparison:
		return worst(r.Stays(), r.Leaves())

	// A search found nothing, something for which pods leave, or something for which nobody leaves.
	case *question.MoreNodes:
		return enough(r.ForAll != nil, r.ForNobody != nil && *r.ForNobody == 0)
	case *inverse.LeastPriority:
		return enough(r.ForPlace != nil, r.Free())
	case *inverse.Emptiable:
		return enough(len(r.Nodes) > 0, true)
	case *inverse.Largest:
		return enough(r.Evicting != nil, r.Fits != nil)
	}
	return exitOfPod(r)
}

// exitOfPod is exitOf for answers about one pod. It does not tell an answer by which nobody loses anything from
// one by which everything fits.
func exitOfPod(r reply) int {
	switch r := r.(type) {
	case *question.NotCreated:
		return exitStays
	case *question.Across:
		return preempted(r.Outcome)
	case *question.WhyNot:
		switch r.Stage {
		case explain.Fits:
			return exitFits
		case explain.Chosen, explain.Candidate:
			return exitEvicts
		}
		return exitStays
	case *question.OnNode:
		if r.Outcome == kubeletadmit.Rejected {
			return exitStays
		}
		return worst(0, len(r.Replacements))
	case *backward.Answer:
		if r.Verdict == backward.ByTheRules || r.Verdict == backward.ByKubelet {
			return exitEvicts
		}
	}
	return exitFits
}

// document returns the form for programs.
func (q *answeredQuestion) document() any {
	doc := &Questioned{
		APIVersion: "whatif/v1", Version: stamp.Here().Known(), Question: q.scene.ask, Cluster: dumpOf(q.scene), Now: q.scene.now, Answer: q.reply,
		Caveats: append([]Warning{}, q.scene.caveats...), Warnings: []Warning{},
	}

	if h := q.scene.happened(); h != nil {
		doc.Changes, doc.Before, doc.Forbidden, doc.Resizes = h.changes, h.before, h.forbidden, h.resizes
	}

	if q.scene.question != nil {
		pod := askedOf(q.scene.question)
		doc.Pod = &pod
	}

	for _, w := range q.scene.warnings {
		doc.Warnings = append(doc.Warnings, Warning{w.Object, w.Field, w.Text})
	}
	return doc
}

// status returns the exit status of the answer.
func (q *answeredQuestion) status() int { return q.exit }

// text writes the answer for a person.
func (q *answeredQuestion) text(p console.Page, list int) error {
	dump := dumpOf(q.scene)
	p.Line("%s", q.title(dump.Source))
	writeCluster(p, &dump, q.scene.now)
	q.scene.happened().write(p)

	switch {
	case q.scene.ask == askGroup && q.scene.refused == nil:
		q.writeGroup(p)
	case q.scene.question != nil:
		pod := askedOf(q.scene.question)
		writePod(p, &pod, q.scene.ask == askReplicas || q.scene.opts.whole(q.scene.question.template))
		writeNodes(p, &pod)
	}

	writeCaveats(p, q.scene.caveats)
	p.Line("")

	if err := q.reply.WriteText(p, list); err != nil {
		return err
	}
	writeEnd(p, q.scene.opts)
	return nil
}

// title returns the question in words.
func (q *answeredQuestion) title(source string) string {
	s := q.scene
	pod := ""
	if s.question != nil {
		pod = string(s.question.pod.Key())
	}

	if s.refused != nil {
		return fmt.Sprintf("May %s be created in %s?", pod, source)
	}
	switch s.ask {
	case askGroup:
		return q.groupTitle(source)
	case askLeast, askLargest, askEmpty:
		return q.searchTitle(source, pod)
	}
	if s.ask.ofPod() {
		return s.opts.podTitle(s.ask, pod, source)
	}
	return s.opts.clusterTitle(s.ask, source)
}

// podTitle returns a question about one pod in words.
func (o *options) podTitle(ask inquiry, pod, source string) string {
	switch ask {
	case askReplicas:
		return fmt.Sprintf("How many of %s of %s find room in %s?", console.Plural(o.about.replicas, "copy"), pod, source)
	case askWhyNot:
		return fmt.Sprintf("Why %s, or why not, for %s in %s?", o.about.whyNot, pod, source)
	case askOnNode:
		return fmt.Sprintf("What does the kubelet of %s say to %s in %s?", o.about.onNode, pod, source)
	}
	return fmt.Sprintf("Who would have to leave for %s, on whatever nodes of %s?", pod, source)
}

// clusterTitle returns a question about the whole cluster in words.
func (o *options) clusterTitle(ask inquiry, source string) string {
	switch ask {
	case askAll:
		if o.set["namespace"] {
			return "What becomes of the pods of namespace " + o.pod.namespace + " that wait in " + source + "?"
		}
		return "What becomes of all pods that wait in " + source + "?"
	case askNodes:
		return "How many more nodes like " + o.about.moreNodes + " are enough in " + source + "?"
	case askBackward:
		return fmt.Sprintf("Why was %s pushed out of %s?", o.backwardPod(), source)
	case askClasses:
		return "What would other priority classes do in " + source + "?"
	case askReport:
		return "How does " + source + " stand?"
	case askDiff:
		return "What has changed in " + source + "?"
	case askWithout:
		nodes := o.valuesOf(changeWithout)
		return fmt.Sprintf("What becomes of the pods of %s, drained or lost, in %s?", some(nodes, 3, len(nodes)), source)
	}
	return "What becomes of everybody in " + source + "?"
}

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/preemption/explain"
)

// reply is what a question of package question answers.
type reply interface {
	WriteText(w io.Writer, limit int) error
}

// Questioned is what -o json prints for every question but that about a single pod,
// which is a Document. Fields keep their names and meanings, new ones may be added.
type Questioned struct {
	// APIVersion is whatif/v1.
	APIVersion string `json:"apiVersion"`
	// Question is pending, replicas, whyNot, onNode, classes, without, or group where the pod
	// is scheduled with its group alone.
	Question inquiry `json:"question"`
	// Cluster is what was looked at, and Now when, as in a Document.
	Cluster Dump      `json:"cluster"`
	Now     time.Time `json:"now,omitzero"`
	// Pod is the pod that is asked about, if the question is about one.
	Pod *Asked `json:"pod,omitempty"`
	// Answer depends on the question: it is the type of package question of that name.
	Answer any `json:"answer"`
	// Caveats and Warnings are those of a Document.
	Caveats  []Warning `json:"caveats"`
	Warnings []Warning `json:"warnings"`
}

// answeredQuestion is an answer with what it was made from.
type answeredQuestion struct {
	*scene
	reply reply
	exit  int
}

// answered asks a question of package question.
func (s *scene) answered(stdin io.Reader, show func(done, total int)) (*answeredQuestion, error) {
	set, err := s.setting(show)
	if err != nil {
		return nil, err
	}
	out := &answeredQuestion{scene: s}
	ctx := context.Background()
	switch s.ask {
	case askGroup:
		err = out.group(ctx, set)
	case askAll:
		err = out.take(question.AllPending(ctx, set))
	case askReplicas:
		err = out.take(question.AskReplicas(ctx, set, s.question.pod, s.opts.replicas))
	case askWhyNot:
		if err = s.nodeKnown("why-not", s.opts.whyNot); err == nil {
			err = out.take(question.AskWhyNot(ctx, set, s.question.pod, s.opts.whyNot))
		}
	case askOnNode:
		if err = s.nodeKnown("on-node", s.opts.onNode); err == nil {
			err = out.take(question.AskOnNode(ctx, set, s.question.pod, s.opts.onNode, s.opts.static, s.opts.replacements))
		}
	case askClasses:
		var classes []*outrank.PriorityClass
		if classes, err = s.changedClasses(stdin); err == nil {
			reply, wrong := question.AskClasses(ctx, set, classes)
			if err = out.take(reply, wrong); len(problemsOf(wrong)) > 0 {
				err = unusable("the change of priority classes", wrong)
			}
		}
	case askWithout:
		for _, node := range s.opts.without {
			if err == nil {
				err = s.nodeKnown("without", node)
			}
		}
		if err == nil {
			err = out.take(question.AskWithout(ctx, set, s.opts.without))
		}
	}
	return out, err
}

// take takes an answer in, with its exit status.
func (q *answeredQuestion) take(r reply, err error) error {
	if err != nil {
		if q.question != nil {
			return unusable("the pod", err)
		}
		return unusable(q.opts.source(), err)
	}
	q.reply, q.exit = r, exitOf(r)
	return nil
}

// Exit statuses, of which those above 2 are for --exit-status alone.
const (
	exitFits     = 0 // nobody has to leave
	exitUnusable = 2
	exitEvicts   = 3 // there is room once others have left
	exitStays    = 4 // no room is made, for this pod or one of them
)

// exitOf tells answers apart: everything fits, somebody has to leave, or a pod finds no
// room.
func exitOf(r reply) int {
	switch r := r.(type) {
	case *question.Pending:
		return worst(r.Totals.Waits+r.Totals.Unplaced, r.Totals.PushesOut)
	case *question.WholeGroup:
		return exitOfGroup(r)
	case *question.Replicas:
		stopped := 0
		if r.Stopped {
			stopped = 1
		}
		return worst(stopped, r.Victims)
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
	case *question.ClassImpact:
		gained := 0
		for i := range r.Classes {
			gained += r.Classes[i].AsTheyStand.Gained + r.Classes[i].Again.Gained
		}
		return worst(0, gained)
	case *question.Without:
		return worst(r.Totals.Waits+len(r.Lost), r.Totals.PushesOut)
	}
	return exitFits
}

func worst(stay, leave int) int {
	switch {
	case stay > 0:
		return exitStays
	case leave > 0:
		return exitEvicts
	}
	return exitFits
}

// nodeKnown refuses a node that is not there, and offers those called like it.
func (s *scene) nodeKnown(flag, name string) error {
	var known []string
	for _, n := range s.cluster.Nodes {
		if n.Name == name {
			return nil
		}
		known = append(known, n.Name)
	}
	near := nearNames(known, name)
	return fmt.Errorf("--%s %s: there is no such node in the dump%s", flag, name, suggest("; near it: ", near[:min(len(near), mostNear)]))
}

// changedClasses are those of --priorityclass and --set-class. The latter changes the value
// alone.
func (s *scene) changedClasses(stdin io.Reader) ([]*outrank.PriorityClass, error) {
	classes, err := s.opts.readClasses(stdin)
	if err != nil {
		return nil, err
	}
	for _, set := range s.opts.setClasses {
		class := &outrank.PriorityClass{Name: set.name}
		for _, c := range s.cluster.Classes {
			if c.Name == set.name {
				*class = *c
			}
		}
		if class.Value = set.value; !s.classKnown(set.name) {
			s.caveats = append(s.caveats, s.newClass(set.name))
		}
		classes = append(classes, class)
	}
	for i, c := range classes {
		if slices.ContainsFunc(classes[:i], func(o *outrank.PriorityClass) bool { return o.Name == c.Name }) {
			return nil, fmt.Errorf("class %s is given twice", c.Name)
		}
	}
	return classes, nil
}

func (s *scene) classKnown(name string) bool {
	return slices.ContainsFunc(s.cluster.Classes, func(c *outrank.PriorityClass) bool { return c.Name == name })
}

// newClass is about a class that --set-class makes, which may have been meant as a change.
func (s *scene) newClass(name string) Warning {
	var known []string
	for _, c := range s.cluster.Classes {
		known = append(known, c.Name)
	}
	near := nearNames(known, name)
	return Warning{Object: "--set-class " + name, Text: "the dump has no such class, so that this is about a new one" +
		suggest("; near it: ", near[:min(len(near), mostNear)])}
}

// readClasses reads the files of --priorityclass.
func (o *options) readClasses(stdin io.Reader) ([]*outrank.PriorityClass, error) {
	if len(o.classFiles) == 0 {
		return nil, nil
	}
	files, err := input.Expand(o.classFiles, o.recursive)
	if err != nil {
		return nil, fmt.Errorf("--priorityclass: %w", err)
	}
	c, err := readSeveral("--priorityclass", files, func(name string) (io.Reader, func() error, error) {
		r, _, done, err := input.Open(name, stdin)
		return r, done, err
	})
	if err != nil {
		return nil, err
	}
	if len(c.Classes) == 0 {
		return nil, fmt.Errorf("--priorityclass %s holds no PriorityClass", o.classFiles[0])
	}
	return c.Classes, nil
}

// document is what programs read.
func (q *answeredQuestion) document() any {
	doc := &Questioned{
		APIVersion: "whatif/v1", Question: q.ask, Cluster: dumpOf(q.scene), Now: q.now, Answer: q.reply,
		Caveats: append([]Warning{}, q.caveats...), Warnings: []Warning{},
	}
	if q.question != nil {
		pod := askedOf(q.question)
		doc.Pod = &pod
	}
	for _, w := range q.warnings {
		doc.Warnings = append(doc.Warnings, Warning{w.Object, w.Field, w.Text})
	}
	return doc
}

func (q *answeredQuestion) status() int { return q.exit }

// text writes the answer for a person.
func (q *answeredQuestion) text(p console.Page, list int) error {
	dump := dumpOf(q.scene)
	p.Line("%s", q.title(dump.Source))
	writeCluster(p, &dump, q.now)
	switch {
	case q.ask == askGroup:
		q.writeGroup(p)
	case q.question != nil:
		pod := askedOf(q.question)
		writePod(p, &pod, q.ask == askReplicas)
		writeNodes(p, &pod)
	}
	writeCaveats(p, q.caveats)
	p.Line("")
	if err := q.reply.WriteText(p, list); err != nil {
		return err
	}
	writeEnd(p, &dump)
	return nil
}

// title is the question in words.
func (q *answeredQuestion) title(source string) string {
	pod := ""
	if q.question != nil {
		pod = string(q.question.pod.Key())
	}
	switch q.ask {
	case askGroup:
		return q.groupTitle(source)
	case askAll:
		return "What becomes of all pods that wait in " + source + "?"
	case askReplicas:
		return fmt.Sprintf("How many of %s of %s find room in %s?", plural(q.opts.replicas, "copy"), pod, source)
	case askWhyNot:
		return fmt.Sprintf("Why %s, or why not, for %s in %s?", q.opts.whyNot, pod, source)
	case askOnNode:
		return fmt.Sprintf("What does the kubelet of %s say to %s in %s?", q.opts.onNode, pod, source)
	case askClasses:
		return "What would other priority classes do in " + source + "?"
	}
	return fmt.Sprintf("What becomes of the pods of %s, drained or lost, in %s?", some(q.opts.without, 3, len(q.opts.without)), source)
}

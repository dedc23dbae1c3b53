package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/resource"
)

// group asks about the group of the pod. It adds the caveats about the other waiting pods of the group.
func (q *answeredQuestion) group(ctx context.Context, set question.Setting) error {
	w, err := question.AskGroup(ctx, set, q.scene.question.pod)
	if err != nil {
		return console.Unusable("group "+string(q.scene.question.pod.GroupKey()), err)
	}

	q.reply, q.exit = w, exitOfGroup(w)
	for _, p := range q.members() {
		for _, c := range aboutClaims(q.scene.cluster, &asking{pod: p, from: fromDump}) {
			if !slices.Contains(q.scene.caveats, c) {
				q.scene.caveats = append(q.scene.caveats, c)
			}
		}
	}
	return nil
}

// members returns the pods of the group that wait.
func (q *answeredQuestion) members() (pods []*outrank.Pod) {
	for _, m := range q.reply.(*question.WholeGroup).Members {
		if p, ok := q.scene.snap.Pod(m.Key); ok {
			pods = append(pods, p)
		}
	}
	return pods
}

// exitOfGroup returns the exit status of an answer about a group: whether all its waiting pods get a place, and
// whether others have to leave for that.
func exitOfGroup(w *question.WholeGroup) int { return worst(w.Unplaced, w.Report.VictimPods) }

// groupTitle returns the question about a group in words.
func (q *answeredQuestion) groupTitle(source string) string {
	w := q.reply.(*question.WholeGroup)
	return fmt.Sprintf("Who would %s push out of %s, asked about with %s %s, of which %s?",
		w.Asked, source, groupNoun(w), w.Group, subject(len(w.Members), "pod waits", "pods wait"))
}

// groupNoun names the group of the pod that is asked about.
func groupNoun(w *question.WholeGroup) string {
	if w.Tree {
		return "its tree of groups"
	}
	return "its group"
}

// writeGroup prints the group in question, and the sum of what its waiting pods ask for.
func (q *answeredQuestion) writeGroup(p console.Page) {
	w := q.reply.(*question.WholeGroup)
	text := subject(len(w.Members), "pod waits", "pods wait") + ", none has a node"
	if w.Running > 0 {
		text = subject(len(w.Members), "pod waits", "pods wait") + ", " + subject(w.Running, "has a node", "have a node")
	}
	if w.MinCount > 0 && w.Tree {
		text += fmt.Sprintf("; wants %s to find their places", console.Plural(int(w.MinCount), "group"))
	} else if w.MinCount > 0 {
		text += fmt.Sprintf("; wants %s to have a place, those that have a node included", console.Plural(int(w.MinCount), "pod"))
	}
	p.Line("  group      %s: %s", w.Group, text)

	var sum resource.List
	for _, m := range q.members() {
		sum = sum.Plus(m.Requests())
	}
	p.Line("  asks for   %s, all that wait together", amounts(sum))
	p.Line("  priority   %d", w.Priority)
}

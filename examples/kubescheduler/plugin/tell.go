package plugin

import (
	"context"
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// The event on a preemptor. NoteLimit is the number of bytes that the API allows for its text.
const (
	reasonPlanned   = "PreemptionPlanned"
	actionPreempted = "Preempting"
	noteLimit       = 1024
)

// The log levels of the lines about decisions. A pod that finds no room is tried again and again: its lines are
// at a level that is usually off.
const (
	preemptLevel = 2
	otherLevel   = 3
)

// level returns the log level of the line about a decision.
func level(outcome preemption.Outcome) int {
	if outcome == preemption.Preempts {
		return preemptLevel
	}
	return otherLevel
}

// plannedEvent posts the text of a plan on the preemptor if the arguments ask for it.
func (p *Plugin) plannedEvent(about runtime.Object, text string) {
	if p.args.PlanEvents && p.handle.EventRecorder() != nil {
		p.handle.EventRecorder().Eventf(about, nil, v1.EventTypeNormal, reasonPlanned, actionPreempted, "%s", text)
	}
}

// tell explains a decision in one line of the log. If pods have to leave and the arguments ask for events, it
// also posts one on the preemptor.
func (p *Plugin) tell(ctx context.Context, pod *v1.Pod, d Decision) {
	log := klog.FromContext(ctx)
	if d.Err != nil {
		log.Error(d.Err, "No decision about preemption", "pod", klog.KObj(pod))
		return
	}
	if log = log.V(level(d.Plan.Outcome)); log.Enabled() {
		p.logPlan(log, pod, d)
	}
	if d.Plan.Outcome == preemption.Preempts {
		p.plannedEvent(pod, note(d.Plan))
	}
}

func (p *Plugin) logPlan(log klog.Logger, pod *v1.Pod, d Decision) {
	plan := d.Plan
	_, text := p.answer(d)
	line := []any{"pod", klog.KObj(pod), "priority", plan.Pod.PriorityValue(), "outcome", string(plan.Outcome), "says", text}
	if plan.Outcome == preemption.Preempts {
		line = append(line, "node", plan.Node, "victims", names(podsOf(plan.Victims)), "violations", plan.Score.Violations,
			"topPriority", plan.Score.TopPriority, "cleared", names(plan.ClearedNominations), "because", causes(plan))
	}
	if d.HandedOver != "" {
		line = append(line, "handedOver", d.HandedOver)
	}
	line = append(line, "turnedDown", counts(plan.TurnedDown), "unhelpful", counts(plan.Unhelpful), "followed", d.Followed, "decided", d.Decided)
	log.Info("Preemption", line...)
}

// note returns the text of the event about a pod.
func note(plan *preemption.Plan) string {
	text := fmt.Sprintf("Node %s has room without %d pods of lower priority (at most %d)", plan.Node, len(plan.Victims), plan.Score.TopPriority)
	if len(plan.Victims) == 1 {
		text = fmt.Sprintf("Node %s has room without a pod of priority %d", plan.Node, plan.Score.TopPriority)
	}
	if n := plan.Score.Violations; n > 0 {
		text += fmt.Sprintf(", %d against a disruption budget", n)
	}
	return cut(text + ": " + strings.Join(names(podsOf(plan.Victims)), ", "))
}

// cut shortens a text to the length that an event may have.
func cut(text string) string {
	if len(text) <= noteLimit {
		return text
	}
	const mark = " ..."
	return strings.ToValidUTF8(text[:noteLimit-len(mark)], "") + mark
}

func names(pods []*outrank.Pod) []string {
	list := make([]string, len(pods))
	for i, pod := range pods {
		list[i] = string(pod.Key())
	}
	return list
}

// causes lists for each victim the filter that the preemptor failed when the victim was put back.
func causes(plan *preemption.Plan) []string {
	list := make([]string, len(plan.Victims))
	for i := range plan.Victims {
		list[i] = plan.Victims[i].Blocks.String()
	}
	return list
}

func counts(of []preemption.Count) []string {
	list := make([]string, len(of))
	for i := range of {
		list[i] = of[i].String()
	}
	return list
}

// preemptionSays begins the plugin's message to the scheduler.
const preemptionSays = "preemption: "

// answer returns the nomination and the plugin's message to the scheduler about a decision.
func (p *Plugin) answer(d Decision) (execution.Nomination, string) {
	if d.HandedOver != "" {
		return d.nomination, d.text
	}
	return p.says(d.Plan)
}

// says returns the nomination that a plan gives the pod, and DefaultPreemption's text about the plan. The text is
// cut out of the message that the scheduler would write into the pod's condition.
func (p *Plugin) says(plan *preemption.Plan) (execution.Nomination, string) {
	// The scheduler has found that the pod fits nowhere.
	if plan.Outcome == preemption.Fits {
		return execution.Nomination{}, "preemption: the pod fits"
	}

	// The condition begins with the nodes that turned the pod down. The scheduler writes that part itself, so
	// that their number is enough. A resize would have no condition, but its attempt has a message.
	short := *plan
	short.TurnedDown = []preemption.Count{{Nodes: nodes(plan)}}
	short.Release = p.release
	short.Feasible, short.Resize = 0, false

	v, err := (&execution.Failure{Entry: queue.Entry{Pod: plan.Pod}, Plan: &short}).Verdict()
	if err != nil {
		return execution.Nomination{}, err.Error()
	}
	_, text, ok := strings.Cut(v.Condition.Message, preemptionSays)
	if !ok { // v1.36 says nothing of a preemption that succeeds (rule 11.11)
		return v.Nomination, ""
	}
	return v.Nomination, preemptionSays + text
}

// nodes counts the nodes that the plan has an answer about.
func nodes(plan *preemption.Plan) int {
	n := plan.Feasible
	for _, c := range plan.TurnedDown {
		n += c.Nodes
	}
	return n
}

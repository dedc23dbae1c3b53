package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// add adds a tool whose input is a T.
func add[T asker](to *mcp.Server, s *server, name, title, description string) {
	closed := false
	mcp.AddTool(to, &mcp.Tool{
		Name: name, Description: description,
		Annotations: &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed},
	}, func(ctx context.Context, _ *mcp.CallToolRequest, in T) (*mcp.CallToolResult, any, error) {
		answer, err := s.ask(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return nil, answer, nil
	})
}

// addTools adds a tool for each question of the program.
func addTools(to *mcp.Server, s *server) {
	add[podQuestion](to, s, "pod", "Who would have to leave for a pod?",
		"Which pods would have to leave for a pod, on which node, and why those: for a pending pod, one of a manifest, or one that is described.")
	add[pendingQuestion](to, s, "pending", "What becomes of all that wait?",
		"What the scheduler will do with everything that waits, in its order: who fits, who pushes out others, who finds no room.")
	add[replicasQuestion](to, s, "replicas", "How many copies find room?",
		"How many of a number of copies of a pod find room, without and with others leaving, and who leaves for each.")
	add[whyNotQuestion](to, s, "why_not", "Why not on that node?",
		"Everything about one node for a pod: what keeps it out, whose leaving would help, and by what the node lost to the chosen one.")
	add[onNodeQuestion](to, s, "on_node", "What does the kubelet say?",
		"What the kubelet of a node says to a pod that is bound there: admitted, refused, or after which evictions.")
	add[acrossQuestion](to, s, "across", "Who leaves, on other nodes too?",
		"Who has to leave where victims may be on other nodes, too, as kube-scheduler never takes them: where anti-affinity of running pods or a spreading constraint is in the way.")
	add[moreNodesQuestion](to, s, "more_nodes", "How many more nodes are enough?",
		"How many more nodes like one are enough until everybody finds a place, and until nobody has to leave.")
	add[leastQuestion](to, s, "least_priority", "Which priority is enough?",
		"The least priority with which a pod, or all pods of a manifest, find a place, and with which nobody has to leave.")
	add[largestQuestion](to, s, "largest", "How large can the pod be?",
		"How large a pod of this shape can be: all that it asks for, made larger and smaller together.")
	add[emptiableQuestion](to, s, "emptiable", "Which nodes can be emptied?",
		"Which nodes can be emptied together, so that all their pods find a place elsewhere and nobody is pushed out.")
	add[whyPreemptedQuestion](to, s, "why_preempted", "Who pushed that pod out?",
		"Who pushed a pod out, whether the rules do that, and what would have spared it. The cluster is a dump from before, in which the pod still runs.")
	add[changeQuestion](to, s, "change", "What becomes of everybody?",
		"What becomes of everybody after changes: manifests, nodes that go or come, priority classes, budgets, resizes, pods that are deleted.")
	add[reportQuestion](to, s, "report", "How does the cluster stand?",
		"How the cluster stands: what waits and what would help, the drain of every node, who could be pushed out, room and classes.")
	add[diffQuestion](to, s, "diff", "What is worse than before?",
		"What has changed in the report about the cluster since another dump, and what of that is for the worse.")
}

type podQuestion struct {
	place
	subject
	Replacements int  `json:"replacements,omitempty" jsonschema:"what becomes of the victims: where their replacements fit, wait or push out others, to this depth"`
	Exact        bool `json:"exact,omitempty" jsonschema:"beside the answer of kube-scheduler the best one by the same ranks"`
	Trace        bool `json:"trace,omitempty" jsonschema:"how the answer comes about, step by step"`
}

func (in podQuestion) arguments(q *query) error {
	var flags []string
	if in.Exact {
		flags = append(flags, "--exact")
	}
	if in.Trace {
		flags = append(flags, "--trace")
	}
	if in.Replacements != 0 {
		flags = append(flags, fmt.Sprintf("--replacements=%d", in.Replacements))
	}
	return q.all(in.place, in.subject, flags...)
}

type pendingQuestion struct {
	place
	Namespace string `json:"namespace,omitempty" jsonschema:"list the pods of this namespace alone; the others take their turns in between"`
}

func (in pendingQuestion) arguments(q *query) error {
	if err := in.place.arguments(q); err != nil {
		return err
	}
	q.flag("pending", "all")
	q.flag("namespace", in.Namespace)
	return nil
}

type replicasQuestion struct {
	place
	subject
	Replicas int `json:"replicas" jsonschema:"how many copies"`
}

func (in replicasQuestion) arguments(q *query) error {
	return q.all(in.place, in.subject, fmt.Sprintf("--replicas=%d", in.Replicas))
}

type whyNotQuestion struct {
	place
	subject
	Node string `json:"node" jsonschema:"the name of the node"`
}

func (in whyNotQuestion) arguments(q *query) error {
	return q.all(in.place, in.subject, "--why-not="+in.Node)
}

type onNodeQuestion struct {
	place
	subject
	Node   string `json:"node" jsonschema:"the name of the node"`
	Static bool   `json:"static,omitempty" jsonschema:"the pod is a static one, which the kubelet reads from a file"`
}

func (in onNodeQuestion) arguments(q *query) error {
	flags := []string{"--on-node=" + in.Node}
	if in.Static {
		flags = append(flags, "--static")
	}
	return q.all(in.place, in.subject, flags...)
}

type acrossQuestion struct {
	place
	subject
}

func (in acrossQuestion) arguments(q *query) error { return q.all(in.place, in.subject, "--across") }

type moreNodesQuestion struct {
	place
	Node string `json:"node" jsonschema:"the node that the further ones are like, by name"`
}

func (in moreNodesQuestion) arguments(q *query) error {
	return q.all(in.place, subject{}, "--more-nodes="+in.Node)
}

type leastQuestion struct {
	place
	subject
}

func (in leastQuestion) arguments(q *query) error {
	return q.all(in.place, in.subject, "--least-priority")
}

type largestQuestion struct {
	place
	subject
}

func (in largestQuestion) arguments(q *query) error { return q.all(in.place, in.subject, "--largest") }

type emptiableQuestion struct {
	place
	Nodes string `json:"nodes" jsonschema:"which nodes: all, or LABEL=VALUE"`
}

func (in emptiableQuestion) arguments(q *query) error {
	return q.all(in.place, subject{}, "--emptiable="+in.Nodes)
}

type whyPreemptedQuestion struct {
	place
	Pod    string `json:"pod" jsonschema:"the pod that was pushed out, as NAMESPACE/NAME"`
	Events string `json:"events,omitempty" jsonschema:"what kubectl get events -A -o json prints (default: the events in the dump, if it has any)"`
}

func (in whyPreemptedQuestion) arguments(q *query) error {
	if err := q.all(in.place, subject{}, "--why-preempted="+in.Pod); err != nil || in.Events == "" {
		return err
	}
	return q.text("events", in.Events)
}

type changeQuestion struct{ place }

func (in changeQuestion) arguments(q *query) error {
	if len(in.Changes) == 0 {
		return errors.New("changes: there is none; the tool report says how the cluster stands")
	}
	return in.place.arguments(q)
}

type reportQuestion struct{ place }

func (in reportQuestion) arguments(q *query) error { return q.all(in.place, subject{}, "--report") }

type diffQuestion struct {
	place
	Before string `json:"before" jsonschema:"the cluster as it was, as the text of a dump"`
}

func (in diffQuestion) arguments(q *query) error {
	if err := in.place.arguments(q); err != nil {
		return err
	}
	return q.text("diff", in.Before)
}

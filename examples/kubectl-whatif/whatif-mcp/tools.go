package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool describes a tool to agents.
type tool struct{ name, title, description string }

// add adds a tool whose input has the type T.
func add[T asker](to *mcp.Server, s *server, is tool) {
	closed := false
	mcp.AddTool(to, &mcp.Tool{
		Name: is.name, Description: is.description,
		Annotations: &mcp.ToolAnnotations{Title: is.title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed},
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
	add[podQuestion](to, s, tool{"pod", "Who would have to leave for a pod?",
		"Which pods would have to leave for a pod, on which node, and why those: for a pending pod, one of a manifest, or one that is described."})
	add[pendingQuestion](to, s, tool{"pending", "What becomes of all that wait?",
		"What the scheduler will do with everything that waits, in its order: who fits, who pushes out others, who finds no room."})
	add[replicasQuestion](to, s, tool{"replicas", "How many copies find room?",
		"How many of a number of copies of a pod find room, without and with others leaving, and who leaves for each."})
	add[whyNotQuestion](to, s, tool{"why_not", "Why not on that node?",
		"Everything about one node for a pod: what keeps it out, whose leaving would help, and by what the node lost to the chosen one."})
	add[onNodeQuestion](to, s, tool{"on_node", "What does the kubelet say?",
		"What the kubelet of a node says to a pod that is bound there: admitted, refused, or after which evictions."})
	add[acrossQuestion](to, s, tool{"across", "Who leaves, on other nodes too?",
		"Who has to leave where victims may be on other nodes, too, as kube-scheduler never takes them: where anti-affinity of running pods or a spreading constraint is in the way."})

	add[moreNodesQuestion](to, s, tool{"more_nodes", "How many more nodes are enough?",
		"How many more nodes like one are enough until everybody finds a place, and until nobody has to leave."})
	add[leastQuestion](to, s, tool{"least_priority", "Which priority is enough?",
		"The least priority with which a pod, or all pods of a manifest, find a place, and with which nobody has to leave."})
	add[largestQuestion](to, s, tool{"largest", "How large can the pod be?",
		"How large a pod of this shape can be: all that it asks for, made larger and smaller together."})
	add[emptiableQuestion](to, s, tool{"emptiable", "Which nodes can be emptied?",
		"Which nodes can be emptied together, so that all their pods find a place elsewhere and nobody is pushed out."})

	add[whyPreemptedQuestion](to, s, tool{"why_preempted", "Who pushed that pod out?",
		"Who pushed a pod out, whether the rules do that, and what would have spared it. The cluster is a dump from before, in which the pod still runs."})
	add[changeQuestion](to, s, tool{"change", "What becomes of everybody?",
		"What becomes of everybody after changes: manifests, nodes that go or come, priority classes, budgets, resizes, pods that are deleted."})
	add[reportQuestion](to, s, tool{"report", "How does the cluster stand?",
		"How the cluster stands: what waits and what would help, the drain of every node, who could be pushed out, room and classes."})
	add[diffQuestion](to, s, tool{"diff", "What is worse than before?",
		"What has changed in the report about the cluster since another dump, and what of that is for the worse."})
}

// podQuestion asks who would have to leave for a pod.
type podQuestion struct {
	place
	subject
	Replacements int  `json:"replacements,omitempty" jsonschema:"what becomes of the victims: where their replacements fit, wait or push out others, to this depth"`
	Exact        bool `json:"exact,omitempty" jsonschema:"beside the answer of kube-scheduler the best one by the same ranks"`
	Trace        bool `json:"trace,omitempty" jsonschema:"how the answer comes about, step by step"`
}

// arguments implements asker.
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

// pendingQuestion asks what becomes of all waiting pods.
type pendingQuestion struct {
	place
	Namespace string `json:"namespace,omitempty" jsonschema:"list the pods of this namespace alone; the others take their turns in between"`
}

// arguments implements asker.
func (in pendingQuestion) arguments(q *query) error {
	if err := in.place.arguments(q); err != nil {
		return err
	}
	q.flag("pending", "all")
	q.flag("namespace", in.Namespace)
	return nil
}

// replicasQuestion asks how many copies of a pod find room.
type replicasQuestion struct {
	place
	subject
	Replicas int `json:"replicas" jsonschema:"how many copies"`
}

// arguments implements asker.
func (in replicasQuestion) arguments(q *query) error {
	return q.all(in.place, in.subject, fmt.Sprintf("--replicas=%d", in.Replicas))
}

// whyNotQuestion asks everything about one node for a pod.
type whyNotQuestion struct {
	place
	subject
	Node string `json:"node" jsonschema:"the name of the node"`
}

// arguments implements asker.
func (in whyNotQuestion) arguments(q *query) error {
	return q.all(in.place, in.subject, "--why-not="+in.Node)
}

// onNodeQuestion asks what the kubelet of a node says to a pod.
type onNodeQuestion struct {
	place
	subject
	Node   string `json:"node" jsonschema:"the name of the node"`
	Static bool   `json:"static,omitempty" jsonschema:"the pod is a static one, which the kubelet reads from a file"`
}

// arguments implements asker.
func (in onNodeQuestion) arguments(q *query) error {
	flags := []string{"--on-node=" + in.Node}
	if in.Static {
		flags = append(flags, "--static")
	}
	return q.all(in.place, in.subject, flags...)
}

// acrossQuestion asks who would have to leave for a pod if victims may be on any node.
type acrossQuestion struct {
	place
	subject
}

// arguments implements asker.
func (in acrossQuestion) arguments(q *query) error { return q.all(in.place, in.subject, "--across") }

// moreNodesQuestion asks how many more nodes are enough.
type moreNodesQuestion struct {
	place
	Node string `json:"node" jsonschema:"the node that the further ones are like, by name"`
}

// arguments implements asker.
func (in moreNodesQuestion) arguments(q *query) error {
	return q.all(in.place, subject{}, "--more-nodes="+in.Node)
}

// leastQuestion asks which priority is enough.
type leastQuestion struct {
	place
	subject
}

// arguments implements asker.
func (in leastQuestion) arguments(q *query) error {
	return q.all(in.place, in.subject, "--least-priority")
}

// largestQuestion asks how large a pod can be.
type largestQuestion struct {
	place
	subject
}

// arguments implements asker.
func (in largestQuestion) arguments(q *query) error { return q.all(in.place, in.subject, "--largest") }

// emptiableQuestion asks which nodes can be emptied.
type emptiableQuestion struct {
	place
	Nodes string `json:"nodes" jsonschema:"which nodes: all, or LABEL=VALUE"`
}

// arguments implements asker.
func (in emptiableQuestion) arguments(q *query) error {
	return q.all(in.place, subject{}, "--emptiable="+in.Nodes)
}

// whyPreemptedQuestion asks who pushed a pod out.
type whyPreemptedQuestion struct {
	place
	Pod    string `json:"pod" jsonschema:"the pod that was pushed out, as NAMESPACE/NAME"`
	Events string `json:"events,omitempty" jsonschema:"what kubectl get events -A -o json prints (default: the events in the dump, if it has any)"`
}

// arguments implements asker.
func (in whyPreemptedQuestion) arguments(q *query) error {
	if err := q.all(in.place, subject{}, "--why-preempted="+in.Pod); err != nil || in.Events == "" {
		return err
	}
	return q.text("events", in.Events)
}

// changeQuestion asks what changes do.
type changeQuestion struct{ place }

// arguments implements asker.
func (in changeQuestion) arguments(q *query) error {
	if len(in.Changes) == 0 {
		return errors.New("changes: there is none; the tool report says how the cluster stands")
	}
	return in.place.arguments(q)
}

// reportQuestion asks how the cluster stands.
type reportQuestion struct{ place }

// arguments implements asker.
func (in reportQuestion) arguments(q *query) error { return q.all(in.place, subject{}, "--report") }

// diffQuestion asks what has changed since another dump.
type diffQuestion struct {
	place
	Before string `json:"before" jsonschema:"the cluster as it was, as the text of a dump"`
}

// arguments implements asker.
func (in diffQuestion) arguments(q *query) error {
	if err := in.place.arguments(q); err != nil {
		return err
	}
	return q.text("diff", in.Before)
}

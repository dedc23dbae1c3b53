package outrank

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/outrank-go/outrank/internal/fields"
	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/resource"
)

// converter turns the wire form of one object into a value of this package.
type converter struct {
	kind, name string
	problems   []Problem
	more       *int // counts the problems that are too many to be kept
	texts      map[string]string
	asOf       *time.Time // of the cluster; see latest
}

func (cv *converter) object() string {
	if cv.name == "" {
		return cv.kind
	}
	return cv.kind + " " + cv.name
}

func (cv *converter) add(at *fields.Path, format string, args ...any) {
	if len(cv.problems) >= fields.MostProblems {
		*cv.more++
		return
	}
	cv.problems = append(cv.problems, Problem{cv.object(), at.String(), fmt.Sprintf(format, args...)})
}

// text returns the single copy that is kept of a text, because texts recur from
// object to object.
func (cv *converter) text(s string) string {
	if s == "" {
		return ""
	}
	if one, ok := cv.texts[s]; ok {
		return one
	}
	cv.texts[s] = s
	return s
}

func (cv *converter) labels(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[cv.text(k)] = cv.text(v)
	}
	return out
}

func (cv *converter) pod(w *manifest.Pod) *Pod {
	m, s, st := &w.Metadata, &w.Spec, &w.Status
	root := (*fields.Path)(nil)
	spec, status, meta := root.Field("spec"), root.Field("status"), root.Field("metadata")
	p := &Pod{
		Name: m.Name, Namespace: cv.text(m.Namespace), UID: m.UID,
		Labels:           cv.labels(m.Labels),
		Owner:            cv.owner(m.OwnerReferences),
		NodeName:         cv.text(s.NodeName),
		SchedulerName:    cv.text(s.SchedulerName),
		OS:               cv.text(s.OS.Name),
		StrictGroups:     s.SecurityContext.SupplementalGroupsPolicy == strictGroups,
		HostNetwork:      s.HostNetwork,
		HostUsers:        s.HostUsers,
		Grace:            graceOf(s.TerminationGraceSeconds),
		NominatedNode:    cv.text(st.NominatedNodeName),
		Priority:         s.Priority,
		PriorityClass:    cv.text(s.PriorityClassName),
		PreemptionPolicy: PreemptionPolicy(cv.text(s.PreemptionPolicy)),
		Group:            cv.text(s.SchedulingGroup.PodGroupName),
		NodeSelector:     cv.labels(s.NodeSelector),
		QOSClass:         QOSClass(cv.text(st.QOSClass)),
		Phase:            Phase(cv.text(st.Phase)),
		Mirror:           m.Annotations.ConfigMirror != nil,
		Static:           m.Annotations.ConfigSource != nil && *m.Annotations.ConfigSource != "api",
	}
	context := spec.Field("securityContext")
	cv.word(s.SecurityContext.SupplementalGroupsPolicy, groupsPolicies, "supplementalGroupsPolicy", &context)
	list := spec.Field("containers")
	p.Containers = cv.containers(s.Containers, st.ContainerStatuses, st.InitContainerStatuses, &list)
	p.Volumes = cv.volumes(w)
	list = spec.Field("initContainers")
	p.InitContainers = cv.containers(s.InitContainers, st.InitContainerStatuses, st.ContainerStatuses, &list)
	at := spec.Field("resources")
	if s.Resources != nil {
		r := cv.requirements(s.Resources, &at)
		p.Resources = &r
	}
	for _, gate := range s.SchedulingGates {
		p.SchedulingGates = append(p.SchedulingGates, cv.text(gate.Name))
	}
	cv.podLevelStatus(p, st)
	at = spec.Field("overhead")
	p.Overhead = cv.amounts(s.Overhead, &at)
	if s.Affinity != nil {
		p.Affinity = cv.affinity(s.Affinity)
	}
	for _, t := range s.Tolerations {
		p.Tolerations = append(p.Tolerations, Toleration{cv.text(t.Key), TolerationOperator(cv.text(t.Operator)), cv.text(t.Value), TaintEffect(cv.text(t.Effect))})
	}
	for i := range s.TopologySpreadConstraints {
		p.TopologySpread = append(p.TopologySpread, cv.spread(&s.TopologySpreadConstraints[i]))
	}
	at = status.Field("startTime")
	p.StartTime = cv.time(st.StartTime, &at)
	at = meta.Field("deletionTimestamp")
	p.DeletionTime = cv.time(m.DeletionTimestamp, &at)
	cv.conditions(p, st.Conditions)
	cv.podTimes(w, p)
	return p
}

// strictGroups is the supplementalGroupsPolicy that a node has to support.
const strictGroups = "Strict"

// podLevelStatus keeps the pod-level requests that the status reports.
func (cv *converter) podLevelStatus(p *Pod, st *manifest.PodStatus) {
	status := fields.Path{Name: "status", Index: -1}
	at := status.Field("allocatedResources")
	p.Allocated = cv.reported(st.AllocatedResources, &at)
	if st.Resources != nil {
		res := status.Field("resources")
		at = res.Field("requests")
		p.Actual = cv.reported(st.Resources.Requests, &at)
		p.Reported = p.Actual == nil
	}
}

// reported is amounts for a list of a status, where an empty one is not the same as
// none.
func (cv *converter) reported(as manifest.Amounts, at *fields.Path) resource.List {
	if as != nil && len(as) == 0 {
		return resource.List{}
	}
	return cv.amounts(as, at)
}

// owner returns the owner that is the controller, if there is one.
func (cv *converter) owner(refs []manifest.Owner) Owner {
	for _, o := range refs {
		if o.Controller {
			return Owner{Kind: cv.text(o.Kind), Name: cv.text(o.Name)}
		}
	}
	return Owner{}
}

// conditions reads the three conditions that matter. Of several DisruptionTarget or
// PodResizePending conditions only the first counts.
func (cv *converter) conditions(p *Pod, cs []manifest.Condition) {
	disruption, resize := false, false
	for _, c := range cs {
		switch c.Type {
		case "Ready":
			p.Ready = p.Ready || c.Status == "True"
		case "PodResizePending":
			p.ResizeInfeasible = p.ResizeInfeasible || !resize && c.Reason == "Infeasible"
			p.ResizeDeferred = p.ResizeDeferred || !resize && c.Reason == "Deferred"
			resize = true
		case "DisruptionTarget":
			if !disruption && c.Status == "True" {
				p.DisruptionReason = cv.text(c.Reason)
			}
			disruption = true
		}
	}
}

// containers reads one of the two lists of containers, with their statuses: those of the
// same sort first (rule 2.2.14).
func (cv *converter) containers(cs []manifest.Container, statuses, others []manifest.ContainerStatus, list *fields.Path) []Container {
	if len(cs) == 0 {
		return nil
	}
	out := make([]Container, len(cs))
	byName, elsewhere := statusesByName(statuses), statusesByName(others)
	for i := range cs {
		c, at := &cs[i], list.At(i)
		out[i] = cv.container(c, &at)
		st := byName(c.Name)
		if st == nil {
			st = elsewhere(c.Name)
		}
		if st != nil {
			cv.status(&out[i], st, &at)
		}
	}
	return out
}

// fewStatuses are found faster by looking at each of them.
const fewStatuses = 8

// statusesByName returns what finds the first status of a name, nil where there is
// none. Time is linear in the statuses, and in the containers that are looked for.
func statusesByName(statuses []manifest.ContainerStatus) func(name string) *manifest.ContainerStatus {
	if len(statuses) <= fewStatuses {
		return func(name string) *manifest.ContainerStatus {
			for i := range statuses {
				if statuses[i].Name == name {
					return &statuses[i]
				}
			}
			return nil
		}
	}
	first := make(map[string]*manifest.ContainerStatus, len(statuses))
	for i := range statuses {
		if _, known := first[statuses[i].Name]; !known {
			first[statuses[i].Name] = &statuses[i]
		}
	}
	return func(name string) *manifest.ContainerStatus { return first[name] }
}

// restartsAlways is the restart policy of an init container that keeps running.
const restartsAlways = "Always"

// restartAllAction is the action of a restart policy rule that restarts every
// container of the pod.
const restartAllAction = "RestartAllContainers"

// container reads what the spec says of one; at is nil for one by itself.
func (cv *converter) container(w *manifest.Container, at *fields.Path) Container {
	res := at.Field("resources")
	r := cv.requirements(&w.Resources, &res)
	c := Container{
		Name: cv.text(w.Name), Requests: r.Requests, Limits: r.Limits,
		Sidecar: w.RestartPolicy == restartsAlways,
	}
	cv.word(w.RestartPolicy, restartPolicies, "restartPolicy", at)
	for i := range w.RestartRules {
		if action := w.RestartRules[i].Action; !fields.IsWord(action, restartActions) {
			list := at.Field("restartPolicyRules")
			rule := list.At(i)
			cv.word(action, restartActions, "action", &rule)
		}
		c.RestartsAll = c.RestartsAll || w.RestartRules[i].Action == restartAllAction
	}
	for i := range w.VolumeMounts {
		c.BindMountOptions = c.BindMountOptions || len(w.VolumeMounts[i].BindMountOptions) > 0
	}
	for _, p := range w.Ports {
		c.Ports = append(c.Ports, Port{p.HostPort, cv.text(p.HostIP), cv.text(p.Protocol)})
	}
	return c
}

// status keeps the requests that a container's status reports.
func (cv *converter) status(c *Container, st *manifest.ContainerStatus, container *fields.Path) {
	at := container.Field("(status).allocatedResources")
	c.Allocated = cv.reported(st.AllocatedResources, &at)
	if st.Resources != nil {
		at = container.Field("(status).resources.requests")
		c.Actual = cv.reported(st.Resources.Requests, &at)
		c.Reported = c.Actual == nil
	}
}

func (cv *converter) requirements(r *manifest.Requirements, parent *fields.Path) resource.Requirements {
	requests, limits := parent.Field("requests"), parent.Field("limits")
	return resource.Requirements{
		Requests: cv.amounts(r.Requests, &requests),
		Limits:   cv.amounts(r.Limits, &limits),
	}
}

func (cv *converter) amounts(as manifest.Amounts, at *fields.Path) resource.List {
	if len(as) == 0 {
		return nil
	}
	out := make(resource.List, len(as))
	bad := false
	for name, q := range as {
		out[resource.Name(cv.text(name))] = q.Quantity
		bad = bad || q.Err != nil
	}
	if bad {
		for _, name := range fields.SortedKeys(as) {
			if err := as[name].Err; err != nil {
				one := at.Field(name)
				cv.add(&one, "%v", err)
			}
		}
	}
	return out
}

func (cv *converter) time(text string, at *fields.Path) time.Time {
	if text == "" {
		return time.Time{}
	}
	t, err := manifest.ParseTime(text)
	if err != nil {
		cv.notTime(text, at)
	}
	return t
}

func (cv *converter) notTime(text string, at *fields.Path) {
	cv.add(at, "%s is not a time such as 2026-01-10T12:00:00Z", fields.Quote(text))
}

func (cv *converter) list(ss []string) []string {
	if len(ss) == 0 {
		return nil
	}
	for i, s := range ss {
		ss[i] = cv.text(s)
	}
	return ss
}

func (cv *converter) node(w *manifest.Node) *Node {
	n := &Node{
		Name:          cv.text(w.Metadata.Name),
		Labels:        cv.labels(w.Metadata.Labels),
		Unschedulable: w.Spec.Unschedulable,
	}
	n.StrictGroups = w.Status.Features.SupplementalGroupsPolicy
	n.KubeletVersion = cv.text(w.Status.NodeInfo.KubeletVersion)
	if len(w.Status.DeclaredFeatures) > 0 {
		n.DeclaredFeatures = cv.list(w.Status.DeclaredFeatures)
	}
	n.ResizePreemptionDisabled = cv.list(w.Spec.Preemption.DisableResize)
	status := fields.Path{Name: "status", Index: -1}
	at := status.Field("allocatable")
	n.Allocatable = cv.amounts(w.Status.Allocatable, &at)
	cv.nodeTimes(w)
	for _, t := range w.Spec.Taints {
		n.Taints = append(n.Taints, Taint{cv.text(t.Key), cv.text(t.Value), TaintEffect(cv.text(t.Effect))})
	}
	return n
}

func (cv *converter) budget(w *manifest.Budget) *PodDisruptionBudget {
	b := &PodDisruptionBudget{
		Name: w.Metadata.Name, Namespace: cv.text(w.Metadata.Namespace),
		Selector: cv.selector(w.Spec.Selector),
		Allowed:  w.Status.DisruptionsAllowed,
		Healthy:  w.Status.CurrentHealthy, Desired: w.Status.DesiredHealthy,
		UnhealthyPodEvictionPolicy: UnhealthyPodEvictionPolicy(cv.text(w.Spec.Unhealthy)),
	}
	spec, status := fields.Path{Name: "spec", Index: -1}, fields.Path{Name: "status", Index: -1}
	at := spec.Field("minAvailable")
	b.MinAvailable = cv.intOrPercent(w.Spec.MinAvailable, &at)
	at = spec.Field("maxUnavailable")
	b.MaxUnavailable = cv.intOrPercent(w.Spec.MaxUnavailable, &at)
	if len(w.Status.DisruptedPods) > 0 {
		b.Disrupted = make(map[string]time.Time, len(w.Status.DisruptedPods))
		list := status.Field("disruptedPods")
		for _, name := range fields.SortedKeys(w.Status.DisruptedPods) {
			at := list.Field(name)
			if text := w.Status.DisruptedPods[name]; text != nil {
				b.Disrupted[name] = cv.time(*text, &at)
			} else {
				b.Disrupted[name] = time.Time{}
			}
		}
	}
	return b
}

func (cv *converter) intOrPercent(raw json.RawMessage, at *fields.Path) *IntOrPercent {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var v IntOrPercent
	if problem := v.parse(raw); problem != "" {
		cv.add(at, "%s", problem)
		return nil
	}
	return &v
}

func (cv *converter) class(w *manifest.PriorityClass) *PriorityClass {
	return &PriorityClass{
		Name:             w.Metadata.Name,
		Value:            w.Value,
		GlobalDefault:    w.GlobalDefault,
		PreemptionPolicy: PreemptionPolicy(w.PreemptionPolicy),
		Description:      w.Description,
	}
}

// Package kueue answers questions about a workload before it is submitted. Would Kueue admit it in its queue
// as things are? Who would have to leave for it, and by which rule? If it would not be admitted, why not, and
// when should one ask again? The package reads a dump of Kueue's objects as plain structs, of v1beta1 and
// v1beta2 alike. Package tenancy decides.
package kueue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

// Annotations and labels of Kueue.
const (
	queueLabel      = "kueue.x-k8s.io/queue-name"
	classLabel      = "kueue.x-k8s.io/priority-class"
	boostAnnotation = "kueue.x-k8s.io/priority-boost"
	rulesAnnotation = "kueue.x-k8s.io/preemption-config-name"
)

// topologyAnnotations lists the annotations with which a pod asks for a topology.
var topologyAnnotations = []string{
	"kueue.x-k8s.io/podset-required-topology", "kueue.x-k8s.io/podset-preferred-topology", "kueue.x-k8s.io/podset-unconstrained-topology",
	"kueue.x-k8s.io/podset-slice-required-topology", "kueue.x-k8s.io/podset-slice-required-topology-constraints",
}

// Kinds lists the kinds to ask kubectl get for.
const Kinds = "clusterqueues,cohorts,localqueues,resourceflavors,workloadpriorityclasses,workloads,preemptionconfigs,priorityclasses,namespaces"

// Cluster has the objects of Kueue in a dump.
type Cluster struct {
	queues  []*clusterQueue
	cohorts []*cohort
	locals  map[outrank.Key]*localQueue
	flavors map[string]*flavor
	// classes has the values of WorkloadPriorityClasses, and podClasses the PriorityClasses of pods.
	classes    map[string]int32
	podClasses map[string]*podClass
	workloads  []*workload
	rules      map[string]*preemptionConfig
	// namespaces has the labels of each namespace.
	namespaces map[string]map[string]string
}

// metadata is the part of an object's metadata that is needed here.
type metadata struct {
	Namespace   string            `json:"namespace"`
	Name        string            `json:"name"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	Created     time.Time         `json:"creationTimestamp"`
}

// key returns namespace/name.
func (m *metadata) key() outrank.Key { return outrank.NewKey(m.Namespace, m.Name) }

// resourceGroup has the quotas of resources that are assigned the same flavor.
type resourceGroup struct {
	Covered []resource.Name `json:"coveredResources"`
	Flavors []struct {
		Name      string `json:"name"`
		Resources []struct {
			Name      resource.Name      `json:"name"`
			Nominal   resource.Quantity  `json:"nominalQuota"`
			Borrowing *resource.Quantity `json:"borrowingLimit"`
			Lending   *resource.Quantity `json:"lendingLimit"`
		} `json:"resources"`
	} `json:"flavors"`
}

// fairSharing has the weight of a share.
type fairSharing struct {
	Weight *resource.Quantity `json:"weight"`
}

// condition is a condition of an object's status.
type condition struct {
	Type   string    `json:"type"`
	Status string    `json:"status"`
	Reason string    `json:"reason"`
	At     time.Time `json:"lastTransitionTime"`
}

// preemptionSpec says which workloads a ClusterQueue may preempt.
type preemptionSpec struct {
	Within    string `json:"withinClusterQueue"`
	Reclaim   string `json:"reclaimWithinCohort"`
	Borrowing *struct {
		Policy string `json:"policy"`
		Most   *int32 `json:"maxPriorityThreshold"`
	} `json:"borrowWithinCohort"`
}

// checksStrategy lists admission checks.
type checksStrategy struct {
	Checks []struct {
		Name string `json:"name"`
	} `json:"admissionChecks"`
}

// clusterQueue is a ClusterQueue.
type clusterQueue struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Groups         []resourceGroup        `json:"resourceGroups"`
		Cohort         string                 `json:"cohort"`     // v1beta1
		CohortName     string                 `json:"cohortName"` // v1beta2
		Strategy       string                 `json:"queueingStrategy"`
		Namespaces     *outrank.LabelSelector `json:"namespaceSelector"`
		Stop           string                 `json:"stopPolicy"`
		Fair           *fairSharing           `json:"fairSharing"`
		Preemption     *preemptionSpec        `json:"preemption"`
		Checks         []string               `json:"admissionChecks"` // v1beta1
		ChecksStrategy *checksStrategy        `json:"admissionChecksStrategy"`
		Scope          *struct {
			Mode string `json:"admissionMode"`
		} `json:"admissionScope"`
	} `json:"spec"`
	Status struct {
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

// cohort names the cohort of the queue, from the field of either version. It is empty if there is none.
func (q *clusterQueue) cohort() string {
	if q.Spec.CohortName != "" {
		return q.Spec.CohortName
	}
	return q.Spec.Cohort
}

// groups returns the resource groups.
func (q *clusterQueue) groups() []resourceGroup { return q.Spec.Groups }

// namespaces returns the selector of the namespaces whose workloads the queue takes. It is nil if it takes
// none.
func (q *clusterQueue) namespaces() *outrank.LabelSelector { return q.Spec.Namespaces }

// stop returns the policy that stops the queue. It is empty or None if the queue is not stopped.
func (q *clusterQueue) stop() string { return q.Spec.Stop }

// scoped reports whether the order of victims depends on the past usage of LocalQueues.
func (q *clusterQueue) scoped() bool { return q.Spec.Scope != nil }

// strict reports whether the queue is served strictly in order.
func (q *clusterQueue) strict() bool { return q.Spec.Strategy == "StrictFIFO" }

// checks lists the admission checks in the fields of either version.
func (q *clusterQueue) checks() []string {
	out := slices.Clone(q.Spec.Checks)
	if s := q.Spec.ChecksStrategy; s != nil {
		out = append(out, s.names()...)
	}
	return out
}

// names lists the names of the checks.
func (s *checksStrategy) names() (out []string) {
	for _, c := range s.Checks {
		out = append(out, c.Name)
	}
	return out
}

// inactive returns the condition that says that the queue is not active. It is nil if the queue is.
func (q *clusterQueue) inactive() *condition {
	for i := range q.Status.Conditions {
		if c := &q.Status.Conditions[i]; c.Type == "Active" && c.Status == "False" {
			return c
		}
	}
	return nil
}

// cohort is a Cohort.
type cohort struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Parent     string          `json:"parent"`
		ParentName string          `json:"parentName"`
		Groups     []resourceGroup `json:"resourceGroups"`
		Fair       *fairSharing    `json:"fairSharing"`
	} `json:"spec"`
}

// parent names the cohort above, from the field of either version. It is empty if there is none.
func (c *cohort) parent() string {
	if c.Spec.ParentName != "" {
		return c.Spec.ParentName
	}
	return c.Spec.Parent
}

// localQueue is a LocalQueue.
type localQueue struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		ClusterQueue string `json:"clusterQueue"`
		Stop         string `json:"stopPolicy"`
	} `json:"spec"`
}

// flavor is a ResourceFlavor.
type flavor struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Labels      map[string]string    `json:"nodeLabels"`
		Taints      []outrank.Taint      `json:"nodeTaints"`
		Tolerations []outrank.Toleration `json:"tolerations"`
		Topology    string               `json:"topologyName"`
	} `json:"spec"`
}

// podClass is a PriorityClass, of pods or of workloads.
type podClass struct {
	Metadata metadata `json:"metadata"`
	Value    int32    `json:"value"`
	Default  bool     `json:"globalDefault"`
}

// podSet is a number of equal pods of a workload.
type podSet struct {
	Name     string `json:"name"`
	Count    *int64 `json:"count"`
	MinCount *int64 `json:"minCount"`
	Template struct {
		Metadata map[string]any `json:"metadata"`
		Spec     map[string]any `json:"spec"`
	} `json:"template"`
	Topology *json.RawMessage `json:"topologyRequest"`
}

// admission says from which quotas a workload was admitted, and with which amounts.
type admission struct {
	ClusterQueue string `json:"clusterQueue"`
	PodSets      []struct {
		Name    string                   `json:"name"`
		Flavors map[resource.Name]string `json:"flavors"`
		Usage   resource.List            `json:"resourceUsage"`
		Count   *int64                   `json:"count"`
	} `json:"podSetAssignments"`
}

// classRef names a priority class.
type classRef struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// workload is a Workload.
type workload struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		PodSets   []podSet  `json:"podSets"`
		Queue     string    `json:"queueName"`
		Priority  *int32    `json:"priority"`
		ClassName string    `json:"priorityClassName"` // v1beta1
		Class     *classRef `json:"priorityClassRef"`  // v1beta2
		Active    *bool     `json:"active"`
	} `json:"spec"`
	Status struct {
		Conditions  []condition `json:"conditions"`
		Admission   *admission  `json:"admission"`
		Reclaimable []struct {
			Name  string `json:"name"`
			Count int64  `json:"count"`
		} `json:"reclaimablePods"`
	} `json:"status"`
}

// condition returns the condition of a type if it is true, and nil otherwise.
func (w *workload) condition(kind string) *condition {
	for i := range w.Status.Conditions {
		if c := &w.Status.Conditions[i]; c.Type == kind && c.Status == "True" {
			return c
		}
	}
	return nil
}

// class names the priority class, from the field of either version. It is empty if there is none.
func (w *workload) class() string {
	if ref := w.classRef(); ref != nil {
		return ref.Name
	}
	return w.Spec.ClassName
}

// classRef returns the reference to the class, from the field of v1beta2. It is nil if there is none.
func (w *workload) classRef() *classRef { return w.Spec.Class }

// admission returns the quotas that the workload has. It is nil if it has none.
func (w *workload) admission() *admission { return w.Status.Admission }

// preemptionConfig has the rules that a ClusterQueue refers to. Each rule is read separately, so that an
// unknown one does not spoil the others.
type preemptionConfig struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Rules []json.RawMessage `json:"rules"`
	} `json:"spec"`
}

// rule is a rule with its trigger, which is an object within the rule.
type rule struct {
	tenancy.Selection
	Activation struct {
		Trigger string `json:"trigger"`
	} `json:"activationPolicy"`
}

// Read reads a dump. It ignores objects of other kinds. An error names the object.
func Read(r io.Reader) (*Cluster, error) {
	c := &Cluster{
		locals: map[outrank.Key]*localQueue{}, flavors: map[string]*flavor{}, classes: map[string]int32{}, podClasses: map[string]*podClass{},
		rules: map[string]*preemptionConfig{}, namespaces: map[string]map[string]string{},
	}
	err := input.Each(r, c.read)
	return c, err
}

// Empty reports whether the dump holds no ClusterQueue.
func (c *Cluster) Empty() bool { return len(c.queues) == 0 }

// Workloads returns how many workloads the dump holds, and how many of them hold quota.
func (c *Cluster) Workloads() (all, holding int) {
	for _, w := range c.workloads {
		if w.holds() {
			holding++
		}
	}
	return len(c.workloads), holding
}

// holds reports whether a workload has quota.
func (w *workload) holds() bool {
	return w.Status.Admission != nil && w.condition("QuotaReserved") != nil && w.condition("Finished") == nil
}

// isKueue reports whether an object belongs to an API group of Kueue.
func isKueue(o *input.Object) bool { return strings.HasPrefix(o.APIVersion, "kueue.x-k8s.io/") }

// read adds an object to the cluster, if its kind plays a part.
func (c *Cluster) read(o input.Object) error {
	switch {
	case o.Kind == "Namespace":
		var x struct {
			Metadata metadata `json:"metadata"`
		}
		err := decode(o, &x)
		c.namespaces[x.Metadata.Name] = x.Metadata.Labels
		return err
	case o.Kind == "PriorityClass":
		x := &podClass{}
		err := decode(o, x)
		c.podClasses[x.Metadata.Name] = x
		return err
	case isKueue(&o):
		return c.readKueue(o)
	}
	return nil
}

// readKueue adds an object of Kueue to the cluster. An object may be added before an error is returned, because
// the error ends the reading.
func (c *Cluster) readKueue(o input.Object) error {
	switch o.Kind {
	// Objects of these kinds are visited in the order of the dump.
	case "ClusterQueue":
		x := &clusterQueue{}
		c.queues = append(c.queues, x)
		return decode(o, x)
	case "Cohort":
		x := &cohort{}
		c.cohorts = append(c.cohorts, x)
		return decode(o, x)
	case "Workload":
		x := &workload{}
		c.workloads = append(c.workloads, x)
		return decode(o, x)

	// Objects of these kinds are looked up by name, which is known once the object is read.
	case "LocalQueue":
		x := &localQueue{}
		err := decode(o, x)
		c.locals[x.Metadata.key()] = x
		return err
	case "ResourceFlavor":
		x := &flavor{}
		err := decode(o, x)
		c.flavors[x.Metadata.Name] = x
		return err
	case "WorkloadPriorityClass":
		x := &podClass{}
		err := decode(o, x)
		c.classes[x.Metadata.Name] = x.Value
		return err
	case "PreemptionConfig":
		x := &preemptionConfig{}
		err := decode(o, x)
		c.rules[x.Metadata.Name] = x
		return err
	}
	return nil
}

// decode reads an object. An error names it.
func decode(o input.Object, into any) error {
	err := json.Unmarshal(o.Raw, into)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("%s: %s: %s is none of what may stand there", nameOf(o), wrong.Field, wrong.Value)
	}
	return fmt.Errorf("%s: %w", nameOf(o), err)
}

// nameOf returns the name of an object for messages: its kind and its key.
func nameOf(o input.Object) string {
	name := o.Name
	if o.Namespace != "" {
		name = o.Namespace + "/" + o.Name
	}
	return strings.ToLower(o.Kind) + " " + name
}

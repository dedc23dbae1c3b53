package apitest

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Filler fills objects of the API at random, mostly with values that an API server accepts, and sometimes with
// others. Only one goroutine may use it at a time.
type Filler struct {
	*rand.Rand
	// Odd is the percentage of values that an API server refuses.
	Odd int
	// Seconds are additional times to draw from, as seconds since 1970.
	Seconds []int64
	// Sparse leaves most optional fields out.
	Sparse bool
}

// Fill fills the object that o points to.
func (f *Filler) Fill(o any) { f.fill(reflect.ValueOf(o).Elem(), "", 0) }

var (
	timeType     = reflect.TypeFor[metav1.Time]()
	quantityType = reflect.TypeFor[resource.Quantity]()
	intstrType   = reflect.TypeFor[intstr.IntOrString]()
	amountsType  = reflect.TypeFor[corev1.ResourceList]()
)

// fill fills a value in a field with the given name. depth counts the levels above, so that recursive types end
// at some depth.
func (f *Filler) fill(v reflect.Value, field string, depth int) {
	// These types have a special form in the API.
	switch v.Type() {
	case timeType:
		v.Set(reflect.ValueOf(metav1.NewTime(f.time())))
		return
	case quantityType:
		v.Set(reflect.ValueOf(f.quantity()))
		return
	case intstrType:
		v.Set(reflect.ValueOf(f.intOrString()))
		return
	}

	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; name != "TypeMeta" && name != "ManagedFields" {
				f.fill(v.Field(i), name, depth+1)
			}
		}
	case reflect.Pointer:
		if f.IntN(3) > 0 && depth < 40 && (!f.Sparse || f.IntN(4) == 0) {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), field, depth+1)
		}
	case reflect.Slice:
		f.slice(v, field, depth)
	case reflect.Map:
		f.mapping(v, field, depth)
	case reflect.String:
		v.SetString(f.text(v.Type(), field))
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt(f.number())
	}
}

func (f *Filler) slice(v reflect.Value, field string, depth int) {
	n := max(0, f.IntN(5)-2)
	if f.Sparse && f.IntN(3) > 0 {
		n = 0
	}
	if field == "CompositePodGroupTemplates" && depth > 8 && f.IntN(4) > 0 {
		n = 0
	}
	if v.Type().Elem().Kind() == reflect.Uint8 || n == 0 && f.IntN(2) == 0 {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		f.fill(v.Index(i), field, depth+1)
	}
}

func (f *Filler) mapping(v reflect.Value, field string, depth int) {
	n := max(0, f.IntN(5)-2)
	if n == 0 && f.IntN(2) == 0 || v.Type().Elem().Kind() == reflect.Slice {
		return
	}
	if n == 0 && v.Type() == amountsType {
		return // JSON leaves out an empty map; TestEmptyReportedListsStay covers that
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range n {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key, field, depth+1)
		f.fill(value, field+"Value", depth+1)
		v.SetMapIndex(key, value)
	}
}

// IsOdd draws whether to use a value that an API server refuses.
func (f *Filler) IsOdd() bool { return f.IntN(100) < f.Odd }

func (f *Filler) number() int64 {
	if f.IsOdd() {
		return []int64{-1, -1000, 1 << 31, -1 << 31, 1 << 62}[f.IntN(5)]
	}
	return int64(f.IntN(5))
}

func (f *Filler) time() time.Time {
	switch {
	case len(f.Seconds) > 0 && f.IsOdd():
		return time.Unix(f.Seconds[f.IntN(len(f.Seconds))], 0)
	case f.IsOdd():
		return time.Date([]int{-1, 0, 9999, 10000}[f.IntN(4)], 5, 1, 0, 0, 0, 0, time.UTC)
	case f.IntN(4) == 0:
		return time.Time{}
	}
	zone := []*time.Location{time.UTC, time.Local, time.FixedZone("", 7200)}[f.IntN(3)]
	return time.Unix(1_700_000_000+f.Int64N(1000), 0).In(zone)
}

func (f *Filler) quantity() resource.Quantity {
	formats := []resource.Format{resource.DecimalSI, resource.BinarySI, resource.DecimalExponent}
	n := []int64{0, 1, 100, 999, 1000, 1023, 1024, 1536, 2000, 5 << 20, 3 << 30, 1<<63 - 1}[f.IntN(12)]
	if f.IsOdd() {
		n = -n
	}
	switch format := formats[f.IntN(3)]; f.IntN(5) {
	case 0:
		return *resource.NewQuantity(n, format)
	case 1:
		return *resource.NewMilliQuantity(n, format)
	case 2:
		return *resource.NewScaledQuantity(n, resource.Scale(f.IntN(24)-9))
	}
	texts := []string{"0", "100m", "1", "1.5", "1500m", "0.1", "2Gi", "1.5Gi", "1023Ki", "1e3", "12E", "5e-3", "1n", "1u", "100k", "1e21", "123456789012345678901234567890", "0.5Mi", "1.0000000001"}
	q := resource.MustParse(texts[f.IntN(len(texts))])
	if f.IntN(2) == 0 {
		_ = q.String() // caches the text in q
	}
	return q
}

func (f *Filler) intOrString() intstr.IntOrString {
	switch {
	case f.IsOdd():
		return []intstr.IntOrString{intstr.FromString("x"), intstr.FromString(""), intstr.FromString("null"), intstr.FromString("1.5%"), intstr.FromString("99999999999%")}[f.IntN(5)]
	case f.IntN(2) == 0:
		return intstr.FromInt32(int32(f.IntN(4)))
	}
	return intstr.FromString([]string{"3", "30%", "0%", "-5%"}[f.IntN(4)])
}

// vocabulary has the values to draw for a type or a field of type string.
var vocabulary = map[string][]string{
	"NodeSelectorOperator":           {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"},
	"LabelSelectorOperator":          {"In", "NotIn", "Exists", "DoesNotExist"},
	"TolerationOperator":             {"", "Equal", "Exists", "Lt", "Gt"},
	"TaintEffect":                    {"NoSchedule", "PreferNoSchedule", "NoExecute"},
	"PreemptionPolicy":               {"", "PreemptLowerPriority", "Never"},
	"PodPhase":                       {"", "Pending", "Running", "Succeeded", "Failed", "Unknown", "no such"},
	"PodQOSClass":                    {"", "Guaranteed", "Burstable", "BestEffort"},
	"ConditionStatus":                {"True", "False", "Unknown", "no such"},
	"PodConditionType":               {"Ready", "PodResizePending", "DisruptionTarget", "PodScheduled"},
	"Reason":                         {"Infeasible", "Deferred", "PreemptionByScheduler", ""},
	"ContainerRestartPolicy":         {"", "Always", "Never", "OnFailure"},
	"ContainerRestartRuleAction":     {"Restart", "RestartAllContainers"},
	"ResourceName":                   {"cpu", "memory", "ephemeral-storage", "pods", "hugepages-2Mi", "example.com/gpu"},
	"UnsatisfiableConstraintAction":  {"DoNotSchedule", "ScheduleAnyway"},
	"NodeInclusionPolicy":            {"", "Honor", "Ignore"},
	"Protocol":                       {"", "TCP", "UDP", "SCTP"},
	"OSName":                         {"linux", "windows"},
	"UnhealthyPodEvictionPolicyType": {"IfHealthyBudget", "AlwaysAllow"},
	"SupplementalGroupsPolicy":       {"", "Merge", "Strict"},
	"PersistentVolumeAccessMode":     {"ReadWriteOnce", "ReadWriteOncePod", "ReadOnlyMany", "ReadWriteMany"},
	"PersistentVolumeClaimPhase":     {"Bound", "Pending", "Lost"},
	"VolumeBindingMode":              {"Immediate", "WaitForFirstConsumer"},
	"Annotations":                    {"kubernetes.io/config.source", "kubernetes.io/config.mirror", "pv.kubernetes.io/bind-completed", "volume.beta.kubernetes.io/storage-class", "other"},
	"AnnotationsValue":               {"", "api", "file", "a"},
	"Labels":                         {"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/region", "app"},
	"LabelsValue":                    {"us-east1-b", "us-east1-c", "us-east1-b__us-east1-c", "us-east1-b__eu-west1-c", "x", "a__ b", "a__"},
	"Provisioner":                    {"kubernetes.io/gce-pd", "kubernetes.io/aws-ebs", "ebs.csi.aws.com", "a"},
	"VolumeID":                       {"", "aws://zone/vol-1", "vol-2", "aws://zone/x"},
	"Type":                           {"PodGroupInitiallyScheduled", "PodGroupScheduled", "CompositePodGroupInitiallyScheduled"},
	"MatchFieldsKey":                 {"metadata.name"},
}

// words are the values of all other strings: names, keys and values of labels.
var words = []string{"a", "b", "c", "app", "x.io/zone"}

func (f *Filler) text(t reflect.Type, field string) string {
	if t == reflect.TypeFor[metav1.ConditionStatus]() && !f.IsOdd() { // conditions of groups have this type
		return []string{"True", "False", "Unknown"}[f.IntN(3)]
	}
	if f.IsOdd() {
		return []string{"", "-", "no such", "a/b/c", strings.Repeat("x", 70), `"<&>` + "\u2028é"}[f.IntN(6)]
	}
	from, ok := vocabulary[t.Name()]
	if !ok {
		from, ok = vocabulary[field]
	}
	if !ok {
		from = words
	}
	return from[f.IntN(len(from))]
}

// MakeValid repairs combinations in an object that an API server refuses: requirements whose number of values
// does not fit their operator, fields of a node other than its name, negative counts.
func MakeValid(o any) {
	walk(reflect.ValueOf(o), func(v reflect.Value) {
		switch r := v.Addr().Interface().(type) {
		case *corev1.NodeSelectorRequirement:
			r.Values = valuesFor(string(r.Operator), r.Values)
		case *metav1.LabelSelectorRequirement:
			r.Values = valuesFor(string(r.Operator), r.Values)
		case *corev1.NodeSelectorTerm:
			for i := range r.MatchFields {
				r.MatchFields[i] = corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"a"}}
			}
		case *storagev1.CSINodeDriver:
			if r.Allocatable != nil && r.Allocatable.Count != nil && *r.Allocatable.Count < 0 {
				r.Allocatable = nil
			}
		}
	})
}

// SuitOperators gives the requirements and tolerations in an object the values that their operators demand.
// Call it after setting an operator.
func SuitOperators(o any) {
	walk(reflect.ValueOf(o), func(v reflect.Value) {
		switch r := v.Addr().Interface().(type) {
		case *corev1.NodeSelectorRequirement:
			r.Values = valuesFor(string(r.Operator), r.Values)
		case *metav1.LabelSelectorRequirement:
			r.Values = valuesFor(string(r.Operator), r.Values)
		case *corev1.Toleration:
			if r.Key == "" { // an API server accepts no other operator without a key
				r.Operator = corev1.TolerationOpExists
			}
			if r.Operator == corev1.TolerationOpExists {
				r.Value = ""
			}
		}
	})
}

func valuesFor(operator string, values []string) []string {
	switch operator {
	case "Exists", "DoesNotExist":
		return nil
	case "Gt", "Lt":
		return []string{"1"}
	}
	if len(values) == 0 {
		return []string{"a"}
	}
	return values
}

// walk calls f with every struct within a value.
func walk(v reflect.Value, f func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walk(v.Elem(), f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), f)
		}
	case reflect.Struct:
		if v.Type() == timeType || v.Type() == quantityType {
			return
		}
		if v.CanAddr() {
			f(v)
		}
		for i := range v.NumField() {
			walk(v.Field(i), f)
		}
	}
}

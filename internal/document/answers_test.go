package document_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// documented is an answer and the file that describes its JSON.
type documented struct {
	answer any
	file   string
	// extends is the section whose fields come before the answer's own.
	extends string
	// within returns the document that has a part which has no JSON of its own, and at is where
	// it stands there: keys, and 0 for the first of a list.
	within func(part any) any
	at     string
	// called is the section of the file where that is not named as the type is.
	called string
	// bare empties what makes another document of the answer.
	bare func(answer reflect.Value)
	// leavesOut has the fields that the document does not tell, each with the reason.
	leavesOut map[string]string
}

// filled returns the answer with all that its document tells.
func (d documented) filled(t *testing.T) reflect.Value {
	t.Helper()
	v := filled(t, d.answer)
	if d.bare != nil {
		d.bare(v)
	}
	return v
}

// text returns the JSON of a value of the answer's type.
func (d documented) text(t *testing.T, v reflect.Value) string {
	t.Helper()
	if d.within == nil {
		return marshalled(t, v)
	}
	text := json.RawMessage(marshalled(t, reflect.ValueOf(d.within(v.Interface()))))
	for step := range strings.SplitSeq(d.at, ".") {
		if step == "0" {
			var list []json.RawMessage
			require.NoError(t, json.Unmarshal(text, &list))
			text = list[0]
			continue
		}
		var object map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(text, &object))
		text = object[step]
	}
	return string(text)
}

// The parts of a plan, of a group's and of an admission have no JSON of their own.
func ofCandidate(part any) any {
	return preemption.Plan{Nodes: make([]preemption.NodeReport, 1), Candidates: []preemption.Candidate{part.(preemption.Candidate)}}
}

func ofVictim(part any) any {
	return preemption.Plan{Candidate: preemption.Candidate{Victims: []preemption.Victim{part.(preemption.Victim)}}}
}

func ofScore(part any) any {
	return preemption.Plan{Outcome: preemption.Preempts, Candidate: preemption.Candidate{Score: part.(preemption.Score)}}
}

func ofCertificate(part any) any {
	c := part.(preemption.Certificate)
	return preemption.Plan{ClusterCertificate: &c}
}

func ofStatus(part any) any {
	return ofVictim(preemption.Victim{Blocks: part.(preemption.Status)})
}

func ofCount(part any) any {
	return preemption.Plan{TurnedDown: []preemption.Count{part.(preemption.Count)}}
}

func ofReport(part any) any {
	return preemption.Plan{Nodes: []preemption.NodeReport{part.(preemption.NodeReport)}}
}

func ofGroupVictim(part any) any {
	return preemption.GroupPlan{Victims: []preemption.Victim{part.(preemption.Victim)}}
}

func ofAssignment(part any) any {
	return preemption.GroupPlan{Placement: []preemption.Assignment{part.(preemption.Assignment)}}
}

func ofRefusal(part any) any {
	r := part.(preemption.Refusal)
	return preemption.GroupPlan{TurnedDown: &r}
}

func evicting(part any) any {
	return kubeletadmit.Admission{Evictions: []kubeletadmit.EvictedPod{part.(kubeletadmit.EvictedPod)}}
}

func contributing(part any) any {
	return evicting(kubeletadmit.EvictedPod{Contributions: []kubeletadmit.Contribution{part.(kubeletadmit.Contribution)}})
}

func lacking(part any) any {
	return kubeletadmit.Admission{Missing: []kubeletadmit.ResourceNeed{part.(kubeletadmit.ResourceNeed)}}
}

func searched(part any) any {
	search := part.(kubeletadmit.Certificate)
	return kubeletadmit.Admission{Search: &search}
}

func failing(part any) any {
	return kubeletadmit.Admission{Failures: []kubeletadmit.CheckFailure{part.(kubeletadmit.CheckFailure)}}
}

const (
	planFile      = "../../preemption/PLAN_JSON.md"
	admissionFile = "../../kubeletadmit/ADMISSION_JSON.md"
)

// needsManifest is why references leave most of an object out.
const needsManifest = "stands in the manifest"

// unexplained empties what Explain finds besides, with which a plan is an explanation.
func unexplained(plan reflect.Value) {
	for name := range foundByExplain {
		plan.FieldByName(name).SetZero()
	}
	ungrouped(plan)
}

// ungrouped has the victims of a plan leave each for itself, and so from other nodes than the chosen one.
func ungrouped(plan reflect.Value) {
	plan.FieldByName("Outcome").Set(reflect.ValueOf(preemption.Preempts))
	plan.FieldByName("Variant").Set(reflect.ValueOf(outrank.VariantSimplified)) // whose victims have a grace period of its own
	victims := plan.FieldByName("Victims")
	for i := range victims.Len() {
		victims.Index(i).FieldByName("Group").SetZero()
		victims.Index(i).FieldByName("Composite").SetZero()
	}
}

var foundByExplain = map[string]string{
	"Nodes": "an explanation has them", "Candidates": "an explanation has them", "DecidedBy": "an explanation has it",
}

// notTold are the fields of a plan that no document tells.
var notTold = map[string]string{
	"Now": ofTheQuestion, "Release": ofTheQuestion,
	"FirstFit": "a document that people read already stays as it is; how many nodes take the pod stands in it",
}

func together(some, others map[string]string) map[string]string {
	all := maps.Clone(some)
	maps.Copy(all, others)
	return all
}

// ofTheQuestion is why by what an answer was found is left out.
const ofTheQuestion = "it is of the question"

// ofAGroup is why the plan of a single pod leaves out what the plan of a group tells.
const ofAGroup = "the document of a group has it"

var answers = []documented{
	{answer: preemption.Plan{}, file: planFile, bare: unexplained, leavesOut: together(notTold, foundByExplain)},
	{answer: preemption.Plan{}, file: planFile, called: "Explanation", extends: "Plan", bare: ungrouped, leavesOut: notTold},
	{answer: preemption.Candidate{}, file: planFile, within: ofCandidate, at: "candidates.0"},
	{answer: preemption.Certificate{}, file: planFile, within: ofCertificate, at: "clusterCertificate"},
	{answer: preemption.Victim{}, file: planFile, within: ofVictim, at: "victims.0", leavesOut: map[string]string{"Priority": ofAGroup, "Blocked": ofAGroup}},
	{answer: preemption.Score{}, file: planFile, within: ofScore, at: "score"},
	{answer: preemption.Status{}, file: planFile, within: ofStatus, at: "victims.0.blocks"},
	{answer: preemption.Count{}, file: planFile, within: ofCount, at: "turnedDown.0"},
	{answer: preemption.NodeReport{}, file: planFile, within: ofReport, at: "nodes.0", leavesOut: map[string]string{"Candidate": "it is one of the explanation's candidates"}},
	{answer: preemption.GroupPlan{}, file: planFile, leavesOut: map[string]string{"Now": ofTheQuestion, "Release": ofTheQuestion}},
	{answer: preemption.Victim{}, file: planFile, called: "GroupVictim", within: ofGroupVictim, at: "victims.0", leavesOut: map[string]string{"Node": "the pod has it"}},
	{answer: preemption.Assignment{}, file: planFile, within: ofAssignment, at: "placement.0"},
	{answer: preemption.Refusal{}, file: planFile, within: ofRefusal, at: "turnedDown"},
	{answer: kubeletadmit.Admission{}, file: admissionFile},
	{answer: kubeletadmit.EvictedPod{}, file: admissionFile, within: evicting, at: "evictions.0"},
	{answer: kubeletadmit.Contribution{}, file: admissionFile, within: contributing, at: "evictions.0.contributions.0"},
	{answer: kubeletadmit.ResourceNeed{}, file: admissionFile, within: lacking, at: "missing.0"},
	{answer: kubeletadmit.Certificate{}, file: admissionFile, within: searched, at: "search"},
}

// fill sets everything that can be reached from v to something that is not its
// zero value, each string and number to another one.
func fill(t *testing.T, v reflect.Value, next *int) {
	t.Helper()
	*next++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(int64(*next), 0)))
		return
	case outrank.Release:
		v.Set(reflect.ValueOf(outrank.V1_37))
		return
	case resource.Quantity:
		v.Set(reflect.ValueOf(resource.New(int64(*next))))
		return
	case kubeletadmit.Outcome:
		v.Set(reflect.ValueOf(kubeletadmit.Rejected))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(t, v.Field(i), next)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), next)
	case reflect.Slice:
		n := 1
		if v.Type().Elem() == reflect.TypeFor[*outrank.PodDisruptionBudget]() {
			n = 11 // one more than are listed
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(t, v.Index(i), next)
		}
	case reflect.Map:
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key, next)
		fill(t, elem, next)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, elem)
	case reflect.String:
		v.SetString(fmt.Sprint("text-", *next))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(1)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*next))
	case reflect.Float64:
		v.SetFloat(float64(*next))
	case reflect.Interface: // the caller's own
		v.Set(reflect.ValueOf(*next))
	default:
		t.Fatalf("%s cannot be filled", v.Type())
	}
}

func filled(t *testing.T, of any) reflect.Value {
	t.Helper()
	v, next := reflect.New(reflect.TypeOf(of)).Elem(), 0
	fill(t, v, &next)
	return v
}

func marshalled(t *testing.T, v reflect.Value) string {
	t.Helper()
	text, err := json.Marshal(v.Interface())
	require.NoError(t, err)
	return string(text)
}

// Every exported field of an answer tells in its JSON: without its value the
// JSON is another. Those that are left out are named, and do not tell.
func TestEveryFieldIsInTheJSON(t *testing.T) {
	for _, d := range answers {
		typ := reflect.TypeOf(d.answer)
		full := d.text(t, d.filled(t))
		for i := range typ.NumField() {
			v := d.filled(t)
			name := typ.Field(i).Name
			v.Field(i).SetZero()
			if reason, out := d.leavesOut[name]; out {
				assert.Equal(t, full, d.text(t, v), "%s.%s is in the JSON; it was left out: %s", typ, name, reason)
				continue
			}
			assert.NotEqual(t, full, d.text(t, v), "%s.%s is not in the JSON", typ, name)
		}
		for name := range d.leavesOut {
			_, has := typ.FieldByName(name)
			assert.True(t, has, "%s has no field %s", typ, name)
		}
	}
}

// A failure is either of two things, each with fields of its own.
func TestEveryFieldOfACheckFailureIsInTheJSON(t *testing.T) {
	shortage := kubeletadmit.CheckFailure{Resource: "cpu", Requested: 1, Used: 2, Capacity: 3}
	predicate := kubeletadmit.CheckFailure{Predicate: kubeletadmit.NodeName, Text: "text"}
	d := documented{within: failing, at: "failures.0"}
	seen := map[string]bool{}
	for _, failure := range []kubeletadmit.CheckFailure{shortage, predicate} {
		v := reflect.ValueOf(&failure).Elem()
		full := d.text(t, v)
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				continue
			}
			without := failure
			v := reflect.ValueOf(&without).Elem()
			v.Field(i).SetZero()
			seen[v.Type().Field(i).Name] = true
			assert.NotEqual(t, full, d.text(t, v), v.Type().Field(i).Name)
		}
	}
	assert.Len(t, seen, reflect.TypeFor[kubeletadmit.CheckFailure]().NumField())
	want := documentedKeys(t, admissionFile, "CheckFailure")
	assert.Equal(t, want, slices.Concat(keysOf(t, d.text(t, reflect.ValueOf(shortage))), keysOf(t, d.text(t, reflect.ValueOf(predicate)))))
}

// References say what identifies an object and what a decision went by. All
// other fields stand in the manifest, so that the JSON of a large plan is small.
func TestReferences(t *testing.T) {
	for _, test := range []struct {
		object any
		within func(reflect.Value) any
		says   []string
	}{
		{outrank.Pod{}, func(v reflect.Value) any {
			return ofVictim(preemption.Victim{Pod: v.Addr().Interface().(*outrank.Pod)})
		},
			[]string{"Name", "Namespace", "UID", "NodeName", "NominatedNodeName", "Priority", "PriorityClassName", "StartTime", "DeletionTimestamp"}},
		{outrank.PodDisruptionBudget{}, func(v reflect.Value) any {
			return ofVictim(preemption.Victim{Violated: []*outrank.PodDisruptionBudget{v.Addr().Interface().(*outrank.PodDisruptionBudget)}})
		}, []string{"Name", "Namespace", "DisruptionsAllowed"}},
		{outrank.PodGroup{}, func(v reflect.Value) any {
			return ofVictim(preemption.Victim{Group: v.Addr().Interface().(*outrank.PodGroup)})
		},
			[]string{"Name", "Namespace"}},
	} {
		typ := reflect.TypeOf(test.object)
		full, err := json.Marshal(test.within(fillable(t, test.object, "")))
		require.NoError(t, err)
		for i := range typ.NumField() {
			name := typ.Field(i).Name
			without, err := json.Marshal(test.within(fillable(t, test.object, name)))
			require.NoError(t, err)
			assert.Equal(t, slices.Contains(test.says, name), string(without) != string(full), "%s.%s: in the JSON, or %s?", typ, name, needsManifest)
		}
	}
}

// fillable returns an object of which every field has a value but one.
func fillable(t *testing.T, object any, without string) reflect.Value {
	t.Helper()
	v, next := reflect.New(reflect.TypeOf(object)).Elem(), 0
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; name != without && v.Field(i).Kind() != reflect.Interface {
			fill(t, v.Field(i), &next)
		}
		next = 100 * (i + 1)
	}
	return v
}

// keysOf lists the keys of an object in their order.
func keysOf(t *testing.T, text string) []string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	_, err := dec.Token()
	require.NoError(t, err)
	var keys []string
	for dec.More() {
		key, err := dec.Token()
		require.NoError(t, err)
		keys = append(keys, key.(string))
		var value json.RawMessage
		require.NoError(t, dec.Decode(&value))
	}
	return keys
}

var row = regexp.MustCompile("(?m)^\\| `(\\w+)` \\|")

// documentedKeys lists the fields in the table of a section.
func documentedKeys(t *testing.T, file, section string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "\n## "+section+"\n")
	require.True(t, found, "%s has no section %s", file, section)
	rest, _, _ = strings.Cut(rest, "\n## ")
	var keys []string
	for _, m := range row.FindAllStringSubmatch(rest, -1) {
		keys = append(keys, m[1])
	}
	return keys
}

// What the JSON has and what the tables list is the same, in the same order.
func TestTablesListTheFields(t *testing.T) {
	for _, d := range answers {
		name := cmp.Or(d.called, reflect.TypeOf(d.answer).Name())
		want := documentedKeys(t, d.file, name)
		if d.extends != "" {
			want = slices.Concat(documentedKeys(t, d.file, d.extends), want)
		}
		assert.Equal(t, want, keysOf(t, d.text(t, d.filled(t))), name)
	}
	v := filled(t, preemption.Victim{}).Interface().(preemption.Victim)
	var parts struct {
		Pod, Group json.RawMessage
		Violated   []json.RawMessage
	}
	d := documented{within: ofVictim, at: "victims.0"}
	require.NoError(t, json.Unmarshal([]byte(d.text(t, reflect.ValueOf(v))), &parts))
	for _, file := range []string{planFile, admissionFile} {
		assert.Equal(t, documentedKeys(t, file, "Pod"), keysOf(t, string(parts.Pod)))
	}
	assert.Equal(t, documentedKeys(t, planFile, "PodDisruptionBudget"), keysOf(t, string(parts.Violated[0])))
	assert.Equal(t, documentedKeys(t, planFile, "PodGroup"), keysOf(t, string(parts.Group)))
}

var link = regexp.MustCompile(`\]\(#([a-z]+)\)`)

// What a table points to is there, and so is every word of an enum.
func TestTablesAreComplete(t *testing.T) {
	for _, file := range []string{planFile, admissionFile} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			assert.Contains(t, strings.ToLower(string(text)), "\n## "+m[1]+"\n", file)
		}
	}
	text, err := os.ReadFile(planFile)
	require.NoError(t, err)
	for _, word := range []string{
		preemption.Success.String(), string(preemption.Unschedulable), string(preemption.UnschedulableAndUnresolvable), string(preemption.Contradiction),
		string(preemption.Fits), string(preemption.NotEligible), string(preemption.NothingHelps), string(preemption.Preempts),
		string(preemption.PolicyNever), string(preemption.VictimsTerminating), string(preemption.Nominated), string(preemption.Disabled), "by-caller",
	} {
		assert.Contains(t, string(text), "`"+word+"`")
	}
	for _, r := range preemption.DefaultRanks() {
		assert.Contains(t, string(text), "`"+r.Name+"`")
	}
	assert.Contains(t, string(text), "`node-order`")
}

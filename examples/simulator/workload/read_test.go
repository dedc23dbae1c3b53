package workload

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/resource"
)

func TestReadNodes(t *testing.T) {
	// Columns in another order, one without a heading and without values, a byte
	// order mark, blanks, a short row and a blank one.
	in := "\uFEFFmodel, gpu ,sn, ,memory_mib,cpu_milli\n" +
		"T4,2,a,,1024,4000\n" +
		", ,b,,2048,500\n" +
		",,,,,\n" +
		"\"big, red\",1,c, ,1\n"
	got, err := ReadNodes(strings.NewReader(in), "nodes.csv", NodeConfig{PodsPerNode: 7})
	require.NoError(t, err)
	want := []*outrank.Node{
		{
			Name: "a", Labels: map[string]string{ModelLabel: "T4"},
			Allocatable: resource.MustList("cpu", "4", "memory", "1Gi", "pods", "7", string(GPU), "2000"),
		},
		{Name: "b", Allocatable: resource.MustList("cpu", "500m", "memory", "2Gi", "pods", "7")},
		{
			Name: "c", Labels: map[string]string{ModelLabel: "big, red"},
			Allocatable: resource.MustList("cpu", "0", "memory", "1Mi", "pods", "7", string(GPU), "1000"),
		},
	}
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, texts(want[i].Allocatable), texts(got[i].Allocatable))
		got[i].Allocatable = want[i].Allocatable
	}
	if diff := testdiff.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// texts compares amounts by their texts.
func texts(l resource.List) map[string]string {
	out := map[string]string{}
	for name, q := range l {
		out[string(name)] = fmt.Sprint(resource.Amount(name, q))
	}
	return out
}

const podHeader = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"

func readPods(text string) ([]Item, error) {
	return ReadPods(strings.NewReader(text), "pods.csv", DefaultClasses())
}

func TestReadPods(t *testing.T) {
	for _, tt := range []struct {
		name, row string
		want      string
	}{
		{"all there", "p,1500,2048,2,1000,T4|G2,LS,Running,10,110,20", "p LS 1000 cpu=1500 example.com/gpu-milli=2000 memory=2147483648 [T4 G2] at 10s for 1m30s"},
		{"a shared GPU", "p,1,1,1,460,,BE,Running,10,110,20", "p BE 0 cpu=1 example.com/gpu-milli=460 memory=1048576 [] at 10s for 1m30s"},
		{"no share means whole", "p,1,1,3,,,BE,,10,110,20", "p BE 0 cpu=1 example.com/gpu-milli=3000 memory=1048576 [] at 10s for 1m30s"},
		{"a share of nothing", "p,1,1,0,0,,BE,,10,110,20", "p BE 0 cpu=1 memory=1048576 [] at 10s for 1m30s"},
		{"never scheduled", "p,,,,,,BE,Pending,10,110,", "p BE 0 [] at 10s for 1m40s"},
		{"never ends", "p,,,,,,BE,,10,,20", "p BE 0 [] at 10s for ever"},
		{"ends at once", "p,,,,,,BE,,10,20,20", "p BE 0 [] at 10s for 0s"},
		{"no class", "p,,,,,,,,10,20,20", "p none 0 [] at 10s for 0s"},
		{"no name: by the line", ",,,,,,LS,,10,20,20", "pod-000002 LS 1000 [] at 10s for 0s"},
		{"models twice, and blanks", "p,,,,, T4||G2 |T4,LS,,10,20,20", "p LS 1000 [T4 G2] at 10s for 0s"},
		{"fractions of a second", "p,,,,,,LS,,0.5,20.25,1e1", "p LS 1000 [] at 500ms for 10.25s"},
		{"quotes", `"a ""b"", c",,,,,,LS,,0,1,0`, `a "b", c LS 1000 [] at 0s for 1s`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			items, err := readPods(podHeader + tt.row + "\n")
			require.NoError(t, err)
			require.Len(t, items, 1)
			require.Equal(t, tt.want, itemText(&items[0]))
			require.NoError(t, items[0].Pod.Validate())
		})
	}
}

func itemText(i *Item) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %d ", i.Pod.Name, i.Class, i.Pod.PriorityValue())
	requests := i.Pod.Containers[0].Requests
	for _, name := range requests.Names() {
		fmt.Fprintf(&b, "%s=%d ", name, resource.Amount(name, requests[name]))
	}
	var models []string
	if i.Pod.Affinity.NodeAffinity != nil {
		models = i.Pod.Affinity.NodeAffinity.NodeSelectorTerms[0].MatchExpressions[0].Values
	}
	fmt.Fprintf(&b, "%v at %v for ", models, i.Arrival)
	if i.Endless {
		return b.String() + "ever"
	}
	return b.String() + i.Duration.String()
}

func TestReadPodsInOrder(t *testing.T) {
	items, err := readPods("qos,name,creation_time\nLS,c,5\nLS,b,7\nLS,a,7\nLS,d,0")
	require.NoError(t, err)
	var names []string
	for _, i := range items {
		names = append(names, i.Pod.Name)
	}
	require.Equal(t, []string{"d", "c", "a", "b"}, names)
}

func TestPodErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "pods.csv: the file is empty"},
		{"headings alone", podHeader, "pods.csv: there are no pods"},
		{"a required column", "name\n", "pods.csv:1: no column creation_time"},
		{"the same column twice", "creation_time,name,name\n", "pods.csv:1:20: name: there are two columns of this name"},
		{"no number", "name,creation_time,cpu_milli\np,0,lots", `pods.csv:2:5: cpu_milli: "lots" is not a whole number`},
		{"a fraction", "creation_time,cpu_milli\n0,1.5", `pods.csv:2:3: cpu_milli: "1.5" is not a whole number`},
		{"below zero", "creation_time,memory_mib\n\n0,-1", "pods.csv:3:3: memory_mib: -1 is negative"},
		{"too much", "creation_time,memory_mib\n0,99999999999999999999", `"99999999999999999999" is more than 1073741824`},
		{"more than a GPU", "creation_time,num_gpu,gpu_milli\n0,1,1001", `gpu_milli: "1001" is more than 1000`},
		{"nothing of a GPU", "creation_time,num_gpu,gpu_milli\n0,1,0", "pods.csv:2:5: gpu_milli: the pod asks for 1 GPUs, but for nothing of each"},
		{"a share of no GPU", "creation_time,num_gpu,gpu_milli\n0,0,500", "gpu_milli: the pod asks for 500 thousandths of no GPU"},
		{"a share, and a GPU that is no number", "creation_time,num_gpu,gpu_milli\n0,x,500", `pods.csv:2:3: num_gpu: "x" is not a whole number`},
		{"no time", "creation_time,name\n,p", "pods.csv:2:1: creation_time: missing"},
		{"not a time", "creation_time\nnan", `"nan" is not a number of seconds`},
		{"endless time", "creation_time\ninf", `"inf" is more than 1000000000 seconds`},
		{"before the beginning", "creation_time\n-1", `"-1" is negative`},
		{"ends before it begins", "creation_time,deletion_time,scheduled_time\n0,5,6", "pods.csv:2:3: deletion_time: 5s is before the scheduled_time, 6s"},
		{"ends before it comes", "creation_time,deletion_time\n9,5", "deletion_time: 5s is before the creation_time, 9s"},
		{"too many fields", "creation_time\n0,1", "pods.csv:2:3: the row has 2 fields, the headings are 1"},
		{"a quote that does not end", "creation_time\n\"0", "pods.csv:2:"},
		{"two of a name", "creation_time,name\n0,a\n0,b\n0,a", `pods.csv:4:3: name: pod "a" is on line 2 already`},
		{
			"classes without a priority", "creation_time,qos\n0,LS\n0,gold\n0,Silver\n0,gold",
			`pods.csv: qos: service classes without a priority: "Silver" (1 pods), "gold" (2 pods); there are priorities for Guaranteed=2000,LS=1000,Burstable=100,BE=0`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			items, err := readPods(tt.text)
			require.ErrorIs(t, err, outrank.ErrInvalid)
			require.ErrorContains(t, err, tt.want)
			require.Len(t, strings.Split(err.Error(), "\n"), 1, "one problem, one line")
			require.Nil(t, items)
		})
	}
}

func TestNodeErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"columns", "sn\n", "nodes.csv:1: no column cpu_milli\nnodes.csv:1: no column memory_mib"},
		{"no name", "cpu_milli,memory_mib,sn\n1,1,", "nodes.csv:2:5: sn: the node has no name"},
		{"no name in a short row", "cpu_milli,memory_mib,sn\n1,1", "nodes.csv:2: sn: the node has no name"},
		{"two of a name", "sn,cpu_milli,memory_mib\na,1,1\na,1,1", `nodes.csv:3:1: sn: node "a" is on line 2 already`},
		{"no nodes", "sn,cpu_milli,memory_mib", "nodes.csv: there are no nodes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadNodes(strings.NewReader(tt.text), "nodes.csv", NodeConfig{})
			require.ErrorIs(t, err, outrank.ErrInvalid)
			require.Equal(t, tt.want, err.Error())
		})
	}
}

// Problems are listed all at once, but not without end.
func TestManyProblems(t *testing.T) {
	_, err := readPods("creation_time,cpu_milli\n" + strings.Repeat("x,y\n", 1000))
	require.Len(t, strings.Split(err.Error(), "\n"), mostProblems)
}

func TestReaderThatFails(t *testing.T) {
	broken := errors.New("the disk is on fire")
	_, err := ReadPods(io.MultiReader(strings.NewReader(podHeader), iotest.ErrReader(broken)), "pods.csv", Classes{})
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "pods.csv: ")
}

// Any file is an error, or valid items.
func TestAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		field := rapid.SampledFrom([]string{"", "0", "1", "7.5", "-1", "p", "q", "LS", "T4|G2", "\"", "1e9", "99999999999999999999", "nan", "\n", "1000"})
		rows := rapid.SliceOfN(rapid.SliceOfN(field, 0, 12), 0, 5).Draw(t, "rows")
		text := podHeader
		if rapid.Bool().Draw(t, "own headings") {
			text = rapid.StringMatching(`(name|num_gpu|qos|,|creation_time)*`).Draw(t, "headings") + "\n"
		}
		for _, row := range rows {
			text += strings.Join(row, ",") + "\n"
		}
		items, err := readPods(text)
		if err != nil {
			if !errors.Is(err, outrank.ErrInvalid) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		for _, i := range items {
			if err := i.Pod.Validate(); err != nil || i.Arrival < 0 || i.Duration < 0 || i.Endless && i.Duration != 0 {
				t.Fatalf("%q: %+v, %v", text, i, err)
			}
		}
	})
}

func TestClasses(t *testing.T) {
	c, err := ParseClasses(" a=1, b = -5 ,none=3")
	require.NoError(t, err)
	require.Equal(t, "none=3,a=1,b=-5", c.String())
	value, ok := c.Priority(NoClass)
	require.True(t, ok)
	require.EqualValues(t, 3, value)
	_, ok = c.Priority("LS")
	require.False(t, ok)
	value, ok = Classes{}.Priority(NoClass)
	require.True(t, ok, "a pod without a class needs no mapping")
	require.Zero(t, value)
	for _, tt := range []struct{ text, want string }{
		{"", `"" is not class=priority`},
		{"a=1,", `"" is not class=priority`},
		{"=1", `"=1" is not class=priority`},
		{"a=x", `class "a": "x" is not a whole number of 32 bits`},
		{"a=2147483648", `class "a": "2147483648" is not a whole number`},
		{"a=1,a=1", `class "a" is given twice`},
	} {
		_, err := ParseClasses(tt.text)
		require.ErrorIs(t, err, outrank.ErrInvalid, tt.text)
		require.ErrorContains(t, err, tt.want)
	}
}

func ExampleReadPods() {
	file := strings.NewReader(`name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time
web,2000,4096,0,,,LS,60,3660
train,8000,65536,2,,T4|P100,BE,0,
`)
	items, err := ReadPods(file, "pods.csv", DefaultClasses())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, i := range items {
		fmt.Println(i.Arrival, i.Pod.Name, i.Class, i.Pod.PriorityValue(), i.Duration, i.Endless, i.Asks())
	}
	// Output:
	// 0s train BE 0 0s true {8000 68719476736 2000}
	// 1m0s web LS 1000 1h0m0s false {2000 4294967296 0}
}

func ExampleReadNodes() {
	file := strings.NewReader("sn,cpu_milli,memory_mib,gpu,model\nn1,96000,393216,2,T4\n")
	nodes, err := ReadNodes(file, "nodes.csv", NodeConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range nodes {
		fmt.Println(n.Name, n.Labels, AmountsOf(n.Allocatable))
	}
	_, err = ReadNodes(strings.NewReader("sn,cpu_milli,memory_mib\nn1,many,1024\n"), "nodes.csv", NodeConfig{})
	fmt.Println(err)
	// Output:
	// n1 map[example.com/gpu-model:T4] {96000 412316860416 2000}
	// nodes.csv:2:4: cpu_milli: "many" is not a whole number
}

func ExampleParseClasses() {
	classes, err := ParseClasses("batch=-10,web=1000")
	fmt.Println(classes, err)
	// Output: web=1000,batch=-10 <nil>
}

func ExampleDemand() {
	items, err := readPods("name,creation_time,deletion_time,cpu_milli\na,0,60,1000\nb,30,,500")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range Demand(items) {
		fmt.Println(p.Time.Round(time.Second), p.Pods, p.Asked.MilliCPU)
	}
	// Output:
	// 0s 1 1000
	// 30s 2 1500
	// 1m0s 1 500
}

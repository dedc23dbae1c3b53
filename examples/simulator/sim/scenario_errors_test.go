package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// aScenario is a correct beginning of five lines; the next has the number 6.
const aScenario = "Why.\n---\nnode n1 cpu=4\nbudget b selector=app=a min=1\npod p node=n1 cpu=1\n"

const anExpectation = "\nat 1h expect p running because nobody comes"

func TestScenarioMistakesAreNamed(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"nodes n2", `unknown word "nodes"`},
		{"node", "name of the node is missing"},
		{"node n2 cpu=4 gpu=1", `unknown word "gpu=1"`},
		{"node n2 cpu", `unknown word "cpu"`},
		{"node n2 cpu=4 cpu=4", "cpu is given twice"},
		{"node n2 cpu=", "cpu is empty"},
		{"node n2 cpu=four", "cpu: resource: not a quantity"},
		{"node n2 labels=zone", `labels: "zone" is not key=value`},
		{"node n2 taint=a=b", `taint: "a=b" is not key=value:NoSchedule or key=value:NoExecute`},
		{"node n2 taint=a=b:PreferNoSchedule", `taint: "a=b:PreferNoSchedule" is not`},
		{"node n1 cpu=4", "there is a node called n1 already"},
		{"pod n1 node=n1", "there is a node called n1 already"},
		{"pod queue node=n1", `"queue" cannot be a name`},
		{"pod x-r1 node=n1", `"x-r1" cannot be a name`},
		{"pod x cpu=1", "a pod without a time has a node"},
		{"pod x node=n9", "there is no node called n9"},
		{"pod x node=n1 runs=5s", "a pod that is there has neither runs nor scheduler"},
		{"class c value=1 policy=Sometimes", `policy: "Sometimes" is neither Never nor PreemptLowerPriority`},
		{"class c value=99999999999", "value: "},
		{"budget c selector=a=b", "a budget has a selector, and one of min, max and allowed"},
		{"budget c selector=a=b min=1 max=1", "a budget has a selector, and one of min, max and allowed"},
		{"budget c min=x selector=a=b", "min: "},
		{"budget b selector=a=b min=1", "there is a budget called b already"},
		{"recreate sometimes", `unknown word "sometimes"`},
		{"recreate when-gone delay=-1s", "delay: -1s is negative"},
		{"cycle", "cycle is missing"},
		{"cycle 1s 2s", `unknown word "2s"`},
		{"scheduler s spares=x", `spares: "x" is not key=value`},

		{"at", "time is missing"},
		{"at noon pod x", `time: time: invalid duration "noon"`},
		{"at -1s pod x", "time: -1s is negative"},
		{"at 1s", "what happens is missing"},
		{"at 1s pod", "name of the pod is missing"},
		{"at 1s restart p", `unknown word "restart"`},
		{"at 1s pod x cpu=1 node=n1", "a pod that comes has no node yet"},
		{"kubelets for=all", `unknown word "for=all"`},
		{"kubelets order=name", `order: "name" is not priority`},
		{"at 1s pod x static=yes", "a static pod has a node"},
		{"at 1s pod x static=no", `static: "no" is not yes`},
		{"at 1s use p memory=much", "memory: "},
		{"at 1s use x", "there is no pod called x"},
		{"at 1s pod x priority=high", "priority: "},
		{"at 1s pod x class=c", "unknown priority class: pod default/x"},
		{"at 1s pod x runs=-5s", "runs: -5s is negative"},
		{"at 1s pod x scheduler=s", "there is no scheduler called s"},
		{"at 1s pod x affinity=app=a", `affinity: "app=a" is not labels/topology`},
		{"at 1s pod x anti=zone", `anti: "zone" is not labels/topology`},
		{"at 1s pod x anti=app=a/", "anti: no topology after the slash"},
		{"at 1s pod x tolerates=a", `tolerates: "a" is not key=value`},
		{"at 1s delete n1", "there is no pod called n1"},
		{"at 1s delete", "name of a pod is missing"},
		{"at 1s delete p now", `unknown word "now"`},
		{"at 1s remove p", "there is no node called p"},
		{"at 1s cordon n2", "there is no node called n2"},
		{"at 1s lift c", "there is no budget called c by now"},
		{"at 1s label p app", `"app" is not key=value`},
		{"at 1s pod x cpu=1\ncycle 1s", "cycle comes after the story has begun, and has no time"},
		{"at 2s pod x cpu=1\nat 1s pod y cpu=1", "1s is before the line above, 2s"},

		{"at 1s expect", "no reason is given"},
		{"at 1s expect p running", "no reason is given"},
		{"at 1s expect p running because", "no reason is given"},
		{"at 1s expect because of this", "nothing is expected"},
		{"at 1s expect p because of this", "phase is missing"},
		{"at 1s expect q running because of this", "there is no pod called q"},
		{"at 1s expect q-r1 running because of this", "there is no pod called q-r1"},
		{"at 1s expect p asleep because of this", `unknown word "asleep"`},
		{"at 1s expect p running on because of this", "name of a node is missing"},
		{"at 1s expect p running on n2 because of this", "there is no node called n2"},
		{"at 1s expect p running on n1 on n1 because of this", `unknown word "on"`},
		{"at 1s expect p running in active because of this", `unknown word "in"`},
		{"at 1s expect p running until 2s because of this", `unknown word "until"`},
		{"at 1s expect p queued in bed because of this", `unknown word "bed"`},
		{"at 1s expect p terminating until late because of this", "time: "},
		{"at 1s expect p nominated n1 because of this", "to is missing"},
		{"at 1s expect p not running because of this", "nominated is missing"},
		{"at 1s expect queue because of this", "name of a pod is missing"},
		{"at 1s expect queue nobody p because of this", `unknown word "p"`},
		{"at 1s expect budget b because of this", "allows is missing"},
		{"at 1s expect budget b allows some because of this", `number: "some" is no number`},
		{"at 1s expect budget c allows 1 because of this", "there is no budget called c"},
		{"at 1s expect event because of this", "kind of event is missing"},
		{"at 1s expect event murder p because of this", `unknown word "murder"`},
		{"at 1s expect event bind p at n1 because of this", `unknown word "at"`},
		{"at 1s expect event bind q because of this", "there is no pod called q"},
		{"at 1s expect no bind p because of this", "event is missing"},
		{"at 1s expect order bind because of this", "name of a pod is missing"},
		{"at 1s expect cycles because of this", "number is missing"},
		{"at 1s expect cycles 1 2 because of this", `unknown word "2"`},
		{"at 1s expect cycle x because of this", "there is no pod called x"},
		{"at 1s expect cascade because of this", "name of a pod is missing"},
		{"at 1s expect nobody 1 because of this", `unknown word "nobody"`},
	} {
		_, err := parseScenario("a.txt", aScenario+c.line+anExpectation)
		if assert.Error(t, err, c.line) {
			line := strings.Count(aScenario+c.line, "\n") + 1
			assert.Contains(t, err.Error(), fmt.Sprintf("a.txt:%d: %s", line, c.want), c.line)
			assert.NotContains(t, err.Error(), "\n", "the other lines are correct: %s", c.line)
		}
	}
}

func TestScenarioFilesHaveAllParts(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"a story without words", "---\nnode n1 cpu=4" + anExpectation, "a.txt:1: a scenario begins with its story in prose"},
		{"blanks are no words", " \n\n---\nnode n1 cpu=4" + anExpectation, "a.txt:1: a scenario begins with its story in prose"},
		{"no end of the story", "Why.\nnode n1 cpu=4" + anExpectation, "a.txt:1: a scenario begins with its story in prose"},
		{"a story that shows nothing", aScenario + "at 1s delete p", "a.txt:1: nothing is expected"},
	} {
		_, err := parseScenario("a.txt", c.text)
		assert.ErrorContains(t, err, c.want, c.why)
	}
}

func TestScenarioNamesAllMistakesAtOnce(t *testing.T) {
	_, err := parseScenario("a.txt", aScenario+"node\npod x node=n9\nat 1s sing"+anExpectation)
	require.Error(t, err)
	for _, at := range []string{"a.txt:6: ", "a.txt:7: ", "a.txt:8: "} {
		assert.ErrorContains(t, err, at)
	}
}

// Reading any file comes to an end without a panic.
func TestScenarioReadsAnything(t *testing.T) {
	words := strings.Fields(`at 1s 2s expect because node pod class budget recreate cycle scheduler delete remove label lift
		n1 p b x x-r1 running queued terminating on in until nominated to not queue nobody event no order by saying allows
		cpu=1 cpu= = labels=a=b affinity=a=b/zone affinity=/ anti== min=1 selector=a=b value=1 priority=1 "" "a`)
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom(words), 0, 8), 0, 8).Draw(t, "lines")
		text := aScenario
		for _, line := range lines {
			text += strings.Join(line, " ") + "\n"
		}
		_, _ = parseScenario("a.txt", text)
	})
}

func TestScenarioMistakesOfTheStoryHaveTheirPlace(t *testing.T) {
	sc, err := parseScenario("a.txt", aScenario+"at 1s delete p-r1"+anExpectation)
	require.NoError(t, err, "only the run can tell that there is no p-r1 yet")
	_, err = sc.play(execution.Synchronous)
	assert.ErrorIs(t, err, preemption.ErrNotFound)
	assert.ErrorContains(t, err, "a.txt:6: at 1s: delete pod default/p-r1")
}

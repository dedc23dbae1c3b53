package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// asProgram has the test's own file be the program kubectl-whatif.
const asProgram = "TEST_AS_KUBECTL_WHATIF"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	m.Run()
}

// programFile is a program kubectl-whatif in a folder of its own.
func programFile(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return script(t, "kubectl-whatif", "export "+asProgram+"=1\nexec '"+self+"' \"$@\"")
}

// script writes an executable file.
func script(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(files(t, map[string]string{name: "#!/bin/sh\n" + text + "\n"}), name)
	require.NoError(t, os.Chmod(path, 0o755))
	return path
}

// action runs a step of the action's script, and returns its outputs, its status and what it said.
func action(t *testing.T, step string, env ...string) (outputs map[string]string, status int, said string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "output")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	cmd := exec.Command("bash", "action/whatif.sh", step)
	cmd.Env = append(append(os.Environ(), "GITHUB_OUTPUT="+file, "RUNNER_TEMP="+dir, "GITHUB_JOB=plan", "GITHUB_REPOSITORY=o/r",
		"CLUSTER=", "MANIFESTS=", "ARGUMENTS=", "VERSION=v0.9.0", "PROGRAM=", "PULL_REQUEST=7", "PAGE=", "COMMENT=", "FAIL=", "STATUS="), env...)
	text, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); !exited {
		require.NoError(t, err, "%s", text)
	}
	outputs = map[string]string{}
	lines, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(lines)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		outputs[name] = value
	}
	return outputs, cmd.ProcessState.ExitCode(), string(text)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

const sampleCluster, sampleManifest = "CLUSTER=sample/cluster.json", "MANIFESTS=sample/deployment.yaml"

// The answer is that of the program, as text, as a page and as a comment.
func TestActionAsks(t *testing.T) {
	program := "PROGRAM=" + programFile(t)
	summary := filepath.Join(t.TempDir(), "summary")
	out, status, said := action(t, "ask", program, sampleCluster, "MANIFESTS=\n  sample/deployment.yaml  \n\n", "GITHUB_STEP_SUMMARY="+summary)
	require.Zero(t, status, said)
	want, text, _ := whatif("", "--cluster", "sample/cluster.json", "-f", "sample/deployment.yaml", "--exit-status")
	assert.Equal(t, fmt.Sprint(want), out["status"])
	assert.Equal(t, text, read(t, out["text"]))
	assert.Equal(t, answered(t, "", "--cluster", "sample/cluster.json", "-f", "sample/deployment.yaml", "-o", "html"), read(t, out["page"]))
	comment := read(t, out["comment"])
	assert.True(t, strings.HasPrefix(comment, "<!-- kubectl-whatif plan -->\n### "), comment)
	assert.Contains(t, comment, "\n```\n"+text+"```\n")
	assert.Equal(t, comment, read(t, summary))

	// The headline goes by the status.
	for arguments, headline := range map[string]string{
		"--cpu 1 --memory 1Gi --priority 1000000 --one": "", // two ways to name a pod
		"--replicas 2":               "### ",
		"--replicas 500 --list 0":    "### ❌ A pod finds no room",
		"--without apps-a1,apps-b2":  "### ",
		"--cluster sample/none.json": "",
	} {
		out, status, said := action(t, "ask", program, sampleCluster, sampleManifest, "ARGUMENTS="+arguments)
		if headline == "" {
			assert.Equal(t, exitUnusable, status, said)
			assert.Contains(t, said, "::error title=kubectl whatif::whatif: ", arguments)
			assert.Empty(t, out, arguments)
			continue
		}
		require.Zero(t, status, said)
		assert.Contains(t, read(t, out["comment"]), headline, arguments)
	}
}

// No text of a dump is a command to the runner, wherever it stands in a line and whatever ends the
// line before.
func TestActionLogHasNoCommands(t *testing.T) {
	for _, code := range []string{"3", "2"} {
		hostile := script(t, "hostile", `case "$*" in *html*) exit 2;; esac
printf 'fits\r::error::a\n  ::add-mask::b\n\t::c\nx ##[error]d\n##[group]e\r\n::stop-commands::f\n'
printf 'whatif: pod 100%%\r::warning::g ##[error]h\n::i\n' >&2
exit `+code)
		_, _, said := action(t, "ask", "PROGRAM="+hostile, sampleCluster, sampleManifest)
		for _, word := range []string{"error::a", "add-mask::b", "c", "error]d", "group]e", "stop-commands::f", "warning::g", "error]h", "i"} {
			assert.Contains(t, said, word, "it is told all the same")
		}
		commands := 0
		for _, line := range regexp.MustCompile(`\r\n|\r|\n`).Split(said, -1) {
			assert.NotContains(t, line, "##[")
			if !strings.HasPrefix(strings.TrimSpace(line), "::") {
				continue
			}
			commands++
			assert.Equal(t, "::error title=kubectl whatif::whatif: pod 100%25 ::warning::g ## [error]h ", line)
		}
		assert.Equal(t, code == "2", commands == 1)
	}
	_, _, said := action(t, "judge", "FAIL=x\r::add-mask::y", "STATUS=0")
	assert.Equal(t, "::error::fail: x ::add-mask::y is none of evicts, stays and never\n", said)
}

// Nothing in an answer ends its fence, and a comment is not too long.
func TestActionComments(t *testing.T) {
	noisy := script(t, "noisy", "case \"$*\" in *html*) exit 2;; esac; echo 'whatif: note <b>' >&2; printf '```\\n# @everybody\\n````\\n'; head -c \"$SIZE\" /dev/zero | tr '\\0' x; exit 3")
	out, status, said := action(t, "ask", "PROGRAM="+noisy, sampleCluster, sampleManifest, "SIZE=10")
	require.Zero(t, status, said)
	comment := read(t, out["comment"])
	assert.Contains(t, comment, "### ⚠️ Pods would have to leave\n\n`````\n```\n# @everybody\n````\nxxxxxxxxxx`````\n")
	assert.Contains(t, comment, "whatif: note <b>")
	assert.NotContains(t, out, "page", "there is none for such a question")
	out, _, _ = action(t, "ask", "PROGRAM="+noisy, sampleCluster, sampleManifest, "SIZE=200000")
	assert.Less(t, len(read(t, out["comment"])), 65536)
	assert.Contains(t, read(t, out["comment"]), "The rest is in the log of the job.")

	// The comment of an earlier run is replaced.
	for found, want := range map[string]string{
		"":   "api --silent -X POST repos/o/r/issues/7/comments -F body=@",
		"42": "api --silent -X PATCH repos/o/r/issues/comments/42 -F body=@",
	} {
		file := filepath.Join(t.TempDir(), "comment.md")
		require.NoError(t, os.WriteFile(file, []byte("text\n"), 0o600))
		log := filepath.Join(t.TempDir(), "log")
		gh := script(t, "gh", `echo "$*" >>'`+log+`'; case "$*" in *--jq*) echo "`+found+`";; esac`)
		_, status, said := action(t, "comment", "PATH="+filepath.Dir(gh)+":"+os.Getenv("PATH"), "COMMENT="+file, "PAGE=https://example.com/page")
		require.Zero(t, status, said)
		calls := strings.Split(strings.TrimSpace(read(t, log)), "\n")
		require.Len(t, calls, 2)
		assert.Equal(t, `api --paginate repos/o/r/issues/7/comments --jq .[] | select(.body | startswith("<!-- kubectl-whatif plan -->")) | .id`, calls[0])
		assert.Equal(t, want+file, calls[1])
		assert.Equal(t, "text\n\n[The same as a page](https://example.com/page), before and after.\n", read(t, file))
	}
}

func TestActionJudges(t *testing.T) {
	for _, c := range []struct {
		fail, status string
		want         int
	}{
		{"never", "4", 0}, {"stays", "0", 0}, {"stays", "3", 0}, {"stays", "4", 1},
		{"evicts", "0", 0}, {"evicts", "3", 1}, {"evicts", "4", 1}, {"always", "0", 2},
		{"never", "5", 0}, {"stays", "5", 1}, {"evicts", "5", 1},
	} {
		_, status, said := action(t, "judge", "FAIL="+c.fail, "STATUS="+c.status)
		assert.Equal(t, c.want, status, "%v: %s", c, said)
	}
}

// The program comes from the release, and only with the checksum that the release has of it.
func TestActionInstalls(t *testing.T) {
	program := read(t, programFile(t))
	var archive bytes.Buffer
	z := gzip.NewWriter(&archive)
	w := tar.NewWriter(z)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "kubectl-whatif", Mode: 0o755, Size: int64(len(program))}))
	_, err := w.Write([]byte(program))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	sum := fmt.Sprintf("%x", sha256.Sum256(archive.Bytes()))
	for name, sums := range map[string]string{
		"right":   sum + "  kubectl-whatif_linux_amd64.tar.gz\n" + strings.Repeat("0", 64) + "  other\n",
		"wrong":   strings.Repeat("0", 64) + "  kubectl-whatif_linux_amd64.tar.gz\n",
		"missing": sum + "  other\n",
	} {
		release := files(t, map[string]string{"kubectl-whatif_linux_amd64.tar.gz": archive.String(), "SHA256SUMS": sums})
		// curl takes -o FILE URL; the address has to be that of the release.
		curl := script(t, "curl", `for last; do :; done; case "$last" in https://github.com/outrank-go/outrank/releases/download/v0.9.0/*) ;; *) exit 22;; esac
while [ "$1" != -o ]; do shift; done; cp '`+release+`'/"${last##*/}" "$2"`)
		uname := script(t, "uname", `case "$1" in -s) echo Linux;; -m) echo x86_64;; esac`)
		out, status, said := action(t, "ask", "PATH="+filepath.Dir(curl)+":"+filepath.Dir(uname)+":"+os.Getenv("PATH"), sampleCluster, sampleManifest)
		if name == "right" {
			assert.Zero(t, status, said)
			assert.NotEmpty(t, out["status"])
			continue
		}
		assert.NotZero(t, status, name)
		assert.Empty(t, out, name)
	}
}

// assertOptional holds a step to what the script leaves out: an output that it does not always set is empty, an action
// that gets it as its path fails, and the step must not run then.
func assertOptional(t *testing.T, condition string, with map[string]any) {
	t.Helper()
	for _, value := range with {
		if m := regexp.MustCompile(`steps\.ask\.outputs\.(\w+)`).FindStringSubmatch(fmt.Sprint(value)); m != nil && m[1] == "page" {
			assert.Contains(t, condition, "steps.ask.outputs.page", "an answer may have no page")
		}
	}
}

// The definition and the script name the same things, and what it uses of others is pinned.
func TestActionDefinition(t *testing.T) {
	type step struct {
		ID, If, Shell, Run, Uses string
		Env, With                map[string]any
	}
	var a struct {
		Name, Description, Author string
		Branding                  map[string]string
		Inputs                    map[string]struct {
			Description, Default string
			Required             bool
		}
		Outputs map[string]struct{ Description, Value string }
		Runs    struct {
			Using string
			Steps []step
		}
	}
	text := read(t, "action/action.yml")
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), &a))
	assert.Equal(t, "composite", a.Runs.Using)
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`inputs\.(\w+)`).FindAllStringSubmatch(text, -1) {
		used[m[1]] = true
		assert.Contains(t, a.Inputs, m[1])
	}
	assert.Len(t, used, len(a.Inputs), "an input that nothing uses")
	code := read(t, "action/whatif.sh")
	given := map[string]bool{}
	for _, s := range a.Runs.Steps {
		if s.Uses != "" {
			assert.Regexp(t, `^[\w-]+/[\w-]+@[0-9a-f]{40}$`, s.Uses)
			assertOptional(t, s.If, s.With)
			continue
		}
		assert.Regexp(t, `^"\$GITHUB_ACTION_PATH/whatif\.sh" (ask|comment|judge)$`, s.Run)
		for name, value := range s.Env {
			given[name] = true
			assert.Regexp(t, `^\$\{\{ .* \}\}$`, value, "values come through the environment, never into a command")
		}
	}
	for _, m := range regexp.MustCompile(`\$\{?([A-Z]+(?:_[A-Z]+)*)\b`).FindAllStringSubmatch(code, -1) {
		assert.True(t, given[m[1]] || strings.HasPrefix(m[1], "GITHUB_") || m[1] == "RUNNER_TEMP", m[1])
	}
	for name, o := range a.Outputs {
		assert.Contains(t, code, `"`+name+"=$", name)
		assert.Equal(t, "${{ steps.ask.outputs."+name+" }}", o.Value)
	}
	info, err := os.Stat("action/whatif.sh")
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&0o111, "the script can be run")
}

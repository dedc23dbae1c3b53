package outrank_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// built are the first bytes of what compilers and archivers write.
var built = map[string]string{
	"an ELF program": "\x7fELF", "a program of Windows": "MZ", "WebAssembly": "\x00asm", "a library": "!<arch>\n",
	"a program of macOS": "\xcf\xfa\xed\xfe", "an older program of macOS": "\xce\xfa\xed\xfe", "a program of macOS for several machines": "\xca\xfe\xba\xbe",
	"a zip archive": "PK\x03\x04", "an xz archive": "\xfd7zXZ", "a zstd archive": "\x28\xb5\x2f\xfd", "a bzip2 archive": "BZh",
}

// kindProblem says what is wrong with a file that is tracked: all of them are text, but for
// compressed recordings below a testdata folder. It is empty for nothing.
func kindProblem(name string, text []byte) string {
	for kind, begin := range built {
		if bytes.HasPrefix(text, []byte(begin)) {
			return "is " + kind
		}
	}
	switch {
	case bytes.HasPrefix(text, []byte("\x1f\x8b")):
		if strings.HasSuffix(name, ".gz") && strings.Contains("/"+name, "/testdata/") {
			return recordingProblem(name, text)
		}
		return "is compressed, and no recording in a testdata folder"
	case len(text) > 257+5 && string(text[257:257+5]) == "ustar":
		return "is a tar archive"
	case bytes.IndexByte(text, 0) >= 0:
		return "is no text: it has a byte of zero"
	}
	return ""
}

// recordingProblem says what is wrong with what is compressed, by its beginning.
func recordingProblem(name string, text []byte) string {
	r, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return "is not compressed as its name says: " + err.Error()
	}
	begin := make([]byte, 4096)
	n, err := io.ReadFull(r, begin)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return "is not compressed as its name says: " + err.Error()
	}
	if problem := kindProblem(strings.TrimSuffix(name, ".gz"), begin[:n]); problem != "" {
		return "holds what " + problem
	}
	return ""
}

// A program that is built in its own folder is ignored.
func TestBuiltProgramsAreIgnored(t *testing.T) {
	out, err := exec.Command("git", "grep", "-lz", "^package main$", "--", "*.go").Output()
	require.NoError(t, err, "git finds the programs")
	folders := map[string]bool{}
	for _, name := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if !strings.Contains("/"+name, "/testdata/") && !strings.HasSuffix(name, "_test.go") {
			folders[path.Dir(name)] = true
		}
	}
	require.Greater(t, len(folders), 10)
	for folder := range folders {
		program := path.Join(folder, path.Base(folder))
		assert.NoError(t, exec.Command("git", "check-ignore", "-q", "--no-index", program).Run(), "%s would be tracked", program)
	}
}

// No built program is tracked, and nothing else that nobody can read.
func TestTrackedFilesAreText(t *testing.T) {
	out, err := exec.Command("git", "ls-files", "-z").Output()
	require.NoError(t, err, "git lists what is tracked")
	names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	require.Greater(t, len(names), 1000)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		require.NoError(t, err)
		assert.Empty(t, kindProblem(name, text), name)

		info, err := os.Stat(name)
		require.NoError(t, err)
		if info.Mode()&0o111 != 0 {
			assert.True(t, bytes.HasPrefix(text, []byte("#!")), "%s may be executed, and is no script", name)
		}
	}
}

// The program that runs this test is one of those that are found.
func TestTrackedProgramsAreFound(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	text, err := os.ReadFile(self)
	require.NoError(t, err)
	assert.NotEmpty(t, kindProblem("outrank.test", text))

	for name, text := range map[string]string{
		"a.wasm": "\x00asm\x01", "dump.json.gz": "\x1f\x8b\x08", "a.zip": "PK\x03\x04", "text": "a\x00b", "a.tar": strings.Repeat("a", 257) + "ustar\x0000",
	} {
		assert.NotEmpty(t, kindProblem(name, []byte(text)), name)
	}
	packed := func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := w.Write([]byte(text))
		require.NoError(t, errors.Join(err, w.Close()))
		return b.Bytes()
	}
	assert.Empty(t, kindProblem("x/testdata/a.gz", packed("{}")))
	assert.NotEmpty(t, kindProblem("x/testdata/a.gz", packed("\x7fELF")))
	assert.NotEmpty(t, kindProblem("x/testdata/a.gz", []byte("\x1f\x8b\x08")))
	assert.NotEmpty(t, kindProblem("x/a.gz", packed("{}")))
	assert.Empty(t, kindProblem("a.go", []byte(fmt.Sprintln("package a"))))
}

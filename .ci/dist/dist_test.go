package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outrank-go/outrank/.ci/dist/licence"
)

// repository makes a git repository with a commit, and returns a function that runs git in it.
func repository(t *testing.T) (dir string, git func(args ...string)) {
	t.Helper()
	dir = t.TempDir()
	git = func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-03-04T05:06:07+02:00", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, text)
		}
	}
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "first")
	return dir, git
}

func TestSource(t *testing.T) {
	dir, git := repository(t)
	version := func(given string) (string, error) {
		s, err := sourceOf(t.Context(), dir, given)
		if err != nil {
			return "", err
		}
		if want := time.Date(2026, 3, 4, 3, 6, 7, 0, time.UTC); !s.time.Equal(want) {
			t.Errorf("the time of the release is %v, not that of the commit, %v", s.time, want)
		}
		return s.version, nil
	}
	expect := func(given, pattern string) {
		t.Helper()
		got, err := version(given)
		if err != nil || !regexp.MustCompile(`^`+pattern+`$`).MatchString(got) {
			t.Errorf("version of %q: %q, %v; want %s", given, got, err, pattern)
		}
	}
	expect("", `v0\.0\.0-20260304030607-[0-9a-f]{12}`)
	if _, err := version("v1.2.3"); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a release without the table: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".github"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, versions), []byte("\n| v1.2.3 | x |\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git("add", ".")
	git("commit", "-q", "-m", "table")
	expect("v1.2.3", `v1\.2\.3`)
	if _, err := version("v1.2.4"); err == nil || !strings.Contains(err.Error(), "no row for v1.2.4") {
		t.Errorf("a release without a row: %v", err)
	}
	git("tag", "examples/clientgo/v9.9.9")
	expect("", `v0\.0\.0-20260304030607-[0-9a-f]{12}`)
	git("tag", "v0.9.0")
	expect("", `v0\.9\.0`)
	git("commit", "-q", "--allow-empty", "-m", "second")
	expect("", `v0\.9\.1-0\.20260304030607-[0-9a-f]{12}`)
	git("tag", "v0.10.0-rc.1")
	git("commit", "-q", "--allow-empty", "-m", "third")
	expect("", `v0\.10\.0-rc\.1\.0\.20260304030607-[0-9a-f]{12}`)
	for _, wrong := range []string{"0.9.0", "v0.9", "v01.0.0", "v1.0.0 x", "v1.0.0+x"} {
		if got, err := version(wrong); err == nil || !strings.Contains(err.Error(), "is not like v0.9.0") {
			t.Errorf("version %q: %q, %v", wrong, got, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "new"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	expect("", `v0\.10\.0-rc\.1\.0\.20260304030607-[0-9a-f]{12}\+dirty`)
	if _, err := version("v1.2.3"); err == nil || !strings.Contains(err.Error(), "a release is made of a commit") {
		t.Errorf("a release of files that are not committed: %v", err)
	}
	if _, err := sourceOf(t.Context(), t.TempDir(), ""); err == nil || !strings.Contains(err.Error(), "no git repository") {
		t.Errorf("no repository: %v", err)
	}
}

func TestChosen(t *testing.T) {
	all, err := chosen("", "")
	if err != nil || len(all) < 4*len(everywhere) {
		t.Fatalf("%d parts, %v", len(all), err)
	}
	some, err := chosen("replay,kube-scheduler-outrank", "linux/arm64,windows/amd64")
	var got []string
	for _, p := range some {
		got = append(got, p.archive())
	}
	want := []string{"replay_linux_arm64.tar.gz", "replay_windows_amd64.zip", "kube-scheduler-outrank_linux_arm64.tar.gz"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, wrong := range [][2]string{{"replya", ""}, {"", "linux/386"}, {"kube-scheduler-outrank", "windows/amd64"}} {
		if _, err := chosen(wrong[0], wrong[1]); err == nil {
			t.Errorf("%v is built", wrong)
		}
	}
}

// Archives have their files in one order, with one time and one owner.
func TestPack(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 8, 0, time.UTC)
	files := map[string]packed{"b": {[]byte("second"), 0o755}, "a/x": {[]byte("first"), 0o644}}
	for _, name := range []string{"x.tar.gz", "x.zip"} {
		one, err := pack(name, files, at)
		if err != nil {
			t.Fatal(err)
		}
		two, _ := pack(name, map[string]packed{"a/x": files["a/x"], "b": files["b"]}, at.In(time.FixedZone("", 3600)))
		if !bytes.Equal(one, two) {
			t.Errorf("%s: other bytes for the same files", name)
		}
	}
	text, _ := pack("x.tar.gz", files, at)
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(z)
	for _, want := range []string{"a/x first 644", "b second 755"} {
		h, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(r)
		if got := h.Name + " " + string(body) + " " + h.FileInfo().Mode().String(); h.Name+" "+string(body) != want[:len(want)-4] || !h.ModTime.Equal(at) || h.Uid != 0 {
			t.Errorf("got %s at %v, want %s", got, h.ModTime, want)
		}
	}
	text, _ = pack("x.zip", files, at)
	zr, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil || len(zr.File) != 2 || zr.File[0].Name != "a/x" || !zr.File[1].Modified.Equal(at) || zr.File[1].Mode().Perm() != 0o755 {
		t.Errorf("the zip has %v, %v", zr, err)
	}
}

// The manifest for krew names every archive of the plugin, with the checksum of that archive.
func TestKrew(t *testing.T) {
	template, err := os.ReadFile(filepath.Join("..", "..", krewTemplate))
	if err != nil {
		t.Fatal(err)
	}
	filled, err := fillKrew(string(template), "v0.9.0", func(name string) ([]byte, error) { return []byte(name), nil })
	if err != nil {
		t.Fatal(err)
	}
	text := string(filled)
	p := named("kubectl-whatif")
	for _, at := range everywhere {
		archive := part{p, at}.archive()
		want := "  - selector: {matchLabels: {os: " + at.system + ", arch: " + at.machine + "}}\n" +
			"    uri: https://github.com/outrank-go/outrank/releases/download/v0.9.0/" + archive + "\n" +
			"    sha256: " + checksum([]byte(archive)) + "\n    bin: " + p.name + at.suffix() + "\n"
		if !strings.Contains(text, want) {
			t.Errorf("%s: the manifest lacks\n%s", at, want)
		}
	}
	if n := strings.Count(text, "sha256:"); n != len(everywhere) || strings.Contains(text, "{{") || !strings.Contains(text, `  version: "v0.9.0"`) || !strings.HasPrefix(text, "apiVersion:") {
		t.Errorf("%d checksums in\n%s", n, text)
	}
	missing := errors.New("missing")
	if _, err := fillKrew(string(template), "v0.9.0", func(string) ([]byte, error) { return nil, missing }); !errors.Is(err, missing) {
		t.Errorf("an archive that is missing: %v", err)
	}
}

// What differs between two builds is named.
func TestSame(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(a, "x", "1")
	write(b, "x", "1")
	if err := same(a, b); err != nil {
		t.Errorf("the same: %v", err)
	}
	write(b, "x", "2")
	write(a, "old", "")
	write(b, "new", "")
	err := same(a, b)
	for _, want := range []string{"x has other bytes the second time", "old was not made again", "new was made the second time alone"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

// Only a folder that was made here is made anew.
func TestFresh(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dist")
	for range 2 {
		if err := fresh(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, mark)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "letter"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := fresh(dir); err == nil || !strings.Contains(err.Error(), "remove it first") {
		t.Errorf("a folder of somebody: %v", err)
	}
}

// made makes kubectl-whatif for linux/amd64 and for a browser from the repository.
func made(t *testing.T) *builder {
	t.Helper()
	s, err := sourceOf(t.Context(), filepath.Join("..", ".."), "")
	if err != nil {
		t.Fatal(err)
	}
	if s.root, err = filepath.Abs(s.root); err != nil {
		t.Fatal(err)
	}
	p := named("kubectl-whatif")
	b := &builder{source: s, parts: []part{{p, platform{"linux", "amd64"}}, {p, browser}}, out: filepath.Join(t.TempDir(), "out"), log: io.Discard}
	if err := b.make(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

// unpacked reads an archive.
func unpacked(t *testing.T, path string) map[string][]byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// A part is an archive with the program, its documents and the licences of what is in it, a bill
// that lists the same modules, and checksums of both.
func TestPart(t *testing.T) {
	b := made(t)
	files := unpacked(t, filepath.Join(b.out, b.parts[0].archive()))
	want := []string{"LICENSE", "THIRD-PARTY-LICENCES.txt", "clusterrole.yaml", "completions/_kubectl-whatif", "completions/kubectl-whatif.bash",
		"completions/kubectl-whatif.fish", "completions/kubectl-whatif.ps1", "kubectl-whatif", "kubectl-whatif.1"}
	if got := sortedKeys(files); !slices.Equal(got, want) {
		t.Errorf("the archive has %v, not %v", got, want)
	}
	for name, text := range files {
		if len(text) < 500 {
			t.Errorf("%s has %d bytes", name, len(text))
		}
	}
	if !bytes.Contains(files["kubectl-whatif.1"], []byte(escapedVersion(b.source.version))) {
		t.Error("the manual does not say its version")
	}
	table, err := os.ReadFile("../../examples/kubectl-whatif/LICENCES.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\| (\S+/\S+) \|`).FindAllSubmatch(table, -1) {
		if !bytes.Contains(files["THIRD-PARTY-LICENCES.txt"], append(m[1], ' ')) {
			t.Errorf("the licences of %s are not in the archive", m[1])
		}
	}
	sums, err := os.ReadFile(filepath.Join(b.out, mark))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(sums)), "\n")
	if len(lines) != 4 {
		t.Fatalf("checksums of %d files", len(lines))
	}
	for _, line := range lines {
		sum, name, _ := strings.Cut(line, "  ")
		text, err := os.ReadFile(filepath.Join(b.out, name))
		if err != nil || checksum(text) != sum {
			t.Errorf("%s: %v", line, err)
		}
	}
	if runtime.GOOS+"/"+runtime.GOARCH == "linux/amd64" {
		program := filepath.Join(t.TempDir(), "kubectl-whatif")
		if err := os.WriteFile(program, files["kubectl-whatif"], 0o755); err != nil {
			t.Fatal(err)
		}
		ask := func(args ...string) string {
			text, err := exec.CommandContext(t.Context(), program, args...).Output()
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		if got, want := ask("--version"), "kubectl-whatif "+b.source.version+" of "+b.source.revision+", rules of"; !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if got, want := ask("-o", "json"), `"version": "`+b.source.version+`"`; !strings.Contains(got, want) {
			t.Errorf("a report does not hold %s", want)
		}
	}
	checkBill(t, b, b.parts[0], b.parts[0].archive())
	checkBill(t, b, b.parts[1], pageName)
	checkRecord(t, b.parts[0], files["kubectl-whatif"], b)
}

// checkRecord holds what the go command lists of a program to what the compiler has recorded in it.
func checkRecord(t *testing.T, p part, program []byte, b *builder) {
	t.Helper()
	want, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.record(p)
	if err != nil || got.GoVersion != want.GoVersion || got.Main.Path != want.Main.Path {
		t.Errorf("%+v, %v", got, err)
	}
	lines := func(modules []*debug.Module) (list []string) {
		for _, m := range modules {
			list = append(list, fmt.Sprint(m.Path, " ", m.Version, " ", m.Sum, " ", m.Replace != nil))
		}
		return slices.Sorted(slices.Values(list))
	}
	if !slices.Equal(lines(got.Deps), lines(want.Deps)) {
		t.Errorf("the go command lists %v, and the program has %v", lines(got.Deps), lines(want.Deps))
	}
}

// escapedVersion is a version as the manual writes it.
func escapedVersion(version string) string { return strings.ReplaceAll(version, "-", `\-`) }

// checkBill holds a bill to the form, and to what the go command says of the program.
func checkBill(t *testing.T, b *builder, of part, archive string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(b.out, billOf(archive)))
	if err != nil {
		t.Fatal(err)
	}
	var doc spdxDocument
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{doc.ID: true}
	for _, p := range doc.Packages {
		if ids[p.ID] || !regexp.MustCompile(`^SPDXRef-[0-9A-Za-z.-]+$`).MatchString(p.ID) {
			t.Errorf("the name %s", p.ID)
		}
		ids[p.ID] = true
		if p.Declared == "" || p.Version == "" || len(p.Refs) != 1 || !strings.HasPrefix(p.Refs[0].Locator, "pkg:golang/") {
			t.Errorf("%+v", p)
		}
	}
	for _, r := range doc.Relationships {
		if !ids[r.From] || !ids[r.To] {
			t.Errorf("%+v is about nothing", r)
		}
	}
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".")
	cmd.Dir = b.source.path(of.program.module)
	cmd.Env = b.environment(of.at)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Compact(slices.Sorted(strings.FieldsSeq(string(out))))
	var got []string
	for _, p := range doc.Packages {
		switch {
		case p.Purpose == "APPLICATION":
			got = append(got, strings.TrimPrefix(strings.Split(p.Refs[0].Locator, "@")[0], "pkg:golang/"))
		case p.Name != "std":
			got = append(got, p.Name)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the bill lists %v, and the program has %v", got, want)
	}
}

// Every program of the repository that people run is in a release, or is none to be installed.
func TestPrograms(t *testing.T) {
	root := filepath.Join("..", "..")
	here := map[string]string{
		"examples/first": "shows the library", "examples/realcluster": "builds Kubernetes itself",
		"examples/study/own": "shows a policy of one's own", "examples/kubectl-whatif/browser": "makes the page", "examples/kubectl-whatif/largedump": "makes a dump to try", "examples/simulator/gpus": "a figure of the simulator",
		"examples/clientgo/scheduler": "shows the parts for client-go", "examples/kubescheduler/ledger/cmd/ledger": "lists fields for a test",
	}
	folder := func(p *program) string {
		if within, ok := strings.CutPrefix(p.pkg, licence.Own+"/"); ok {
			return within
		}
		return filepath.Join(p.module, p.pkg)
	}
	for i := range programs {
		here[folder(&programs[i])] = "in a release"
	}
	err := filepath.WalkDir(filepath.Join(root, "examples"), func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() != "main.go" {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		shows := filepath.Dir(folder) == filepath.Join("examples", "programs") // how a user writes it
		if err == nil && here[folder] == "" && !shows && !strings.Contains(folder, "internal") && !strings.Contains(folder, "differential") && !strings.Contains(folder, "testdata") {
			t.Errorf("%s is a program that no release has", folder)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range programs {
		if _, err := os.Stat(filepath.Join(root, folder(&programs[i]))); err != nil {
			t.Error(err)
		}
	}
}

// The plugin says which kube-scheduler it is, and which Outrank.
func TestSchedulerVersion(t *testing.T) {
	for name, minor := range map[string]string{"kube-scheduler-outrank": "37", "kube-scheduler-outrank-v1.36": "36"} {
		t.Run(name, func(t *testing.T) { schedulerVersion(t, named(name), minor) })
	}
}

func schedulerVersion(t *testing.T, p *program, minor string) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	s := &source{root: root, version: "v0.9.1-0.20260304030607-abcdef012345+dirty", revision: "abcdef", dirty: true, time: time.Unix(0, 0).UTC()}
	got, err := schedulerVariables(context.Background(), s, p)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(got, "\n")
	// A version that Kubernetes can read: behind the plus sign are dots, digits, letters and dashes.
	if !regexp.MustCompile(`(?m)version\.gitVersion=v1\.`+minor+`\.\d+\+outrank\.0\.9\.1-0\.20260304030607-abcdef012345\.dirty$`).MatchString(text) ||
		!strings.Contains(text, "version.gitMajor=1\n") || !strings.Contains(text, "gitTreeState=dirty") || !strings.Contains(text, "buildDate=1970-01-01T00:00:00Z") {
		t.Error(text)
	}
}

// An image holds what a release has, and nothing in it runs as root.
func TestContainerfiles(t *testing.T) {
	archives := map[string]bool{}
	all, err := chosen("", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.at == browser {
			continue
		}
		archives[p.archive()] = true
	}
	files, err := filepath.Glob("../../examples/kubectl-whatif/Containerfile")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`(?m)^FROM scratch$`).Match(text) || !regexp.MustCompile(`(?m)^USER [1-9]\d*:[1-9]\d*$`).Match(text) {
			t.Errorf("%s is not made from scratch, or runs as root", file)
		}
		added := regexp.MustCompile(`(?m)^(?:ADD|COPY) (\S+_linux_\$\{TARGETARCH\}\S*) `).FindAllSubmatch(text, -1)
		if len(added) == 0 {
			t.Errorf("%s has nothing of a release", file)
		}
		for _, m := range added {
			for _, machine := range []string{"amd64", "arm64"} {
				if name := strings.ReplaceAll(string(m[1]), "${TARGETARCH}", machine); !archives[name] {
					t.Errorf("%s: no release has %s", file, name)
				}
			}
		}
	}
}

// The platform of this machine comes first, and a build cache of the second build's own is emptied
// after each; the user's never.
func TestOnePlatformAfterTheOther(t *testing.T) {
	host := platform{runtime.GOOS, runtime.GOARCH}
	all, err := chosen("", "")
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(all, func(p, q part) int { return p.at.compare(q.at) })
	seen := map[platform]bool{}
	for i, p := range all {
		if i == 0 && p.at != host {
			t.Errorf("%v comes first", p.at)
		}
		if seen[p.at] && p.at != all[i-1].at {
			t.Errorf("%v comes twice", p.at)
		}
		seen[p.at] = true
	}
	cache := filepath.Join(t.TempDir(), "cache")
	for _, b := range []*builder{{}, {cache: cache}} {
		if err := os.MkdirAll(cache, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := b.forget(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(cache); os.IsNotExist(err) != (b.cache != "") {
			t.Errorf("the cache %q: %v", b.cache, err)
		}
	}
}

// A program that does not say which version it is of is refused: its own, or that behind the
// version of Kubernetes.
func TestCheckWantsTheVersion(t *testing.T) {
	b := &builder{source: &source{root: "/nowhere", version: "v0.9.1-0.2026+dirty"}}
	for name, says := range map[string]string{"replay": "v0.9.1-0.2026+dirty", "kube-scheduler-outrank": "v1.37.1+outrank.0.9.1-0.2026.dirty"} {
		p := part{named(name), platform{"linux", "amd64"}}
		if _, err := b.check(p, []byte("another")); err == nil || !strings.Contains(err.Error(), "it does not hold its version") {
			t.Errorf("%s without a version: %v", name, err)
		}
		if _, err := b.check(p, []byte(says)); err == nil || strings.Contains(err.Error(), "version") {
			t.Errorf("%s with %s: %v", name, says, err) // what is wrong then is that it is no program
		}
	}
}

package main

import (
	"encoding/xml"
	"fmt"
	"os"
	"regexp"
	"strconv"
)

// shard deals the cases of a test to the processes that Bazel starts for it.
type shard struct{ index, total, next int }

// newShard reads Bazel's test sharding variables and tells Bazel that they are heeded.
func newShard() (*shard, error) {
	s := &shard{total: 1}
	if file := os.Getenv("TEST_SHARD_STATUS_FILE"); file != "" {
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			return nil, err
		}
	}
	for name, value := range map[string]*int{"TEST_SHARD_INDEX": &s.index, "TEST_TOTAL_SHARDS": &s.total} {
		text := os.Getenv(name)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || value == &s.total && n == 0 {
			return nil, fmt.Errorf("%s is %q", name, text)
		}
		*value = n
	}
	return s, nil
}

func (s *shard) first() bool { return s.index == 0 }

// mine reports whether the next case belongs to this shard.
func (s *shard) mine() bool {
	mine := s.next%s.total == s.index
	s.next++
	return mine
}

// matches reports whether --test_filter selects the case. A filter that is no regular expression selects nothing.
func matches(filter, name string) bool {
	if filter == "" {
		return true
	}
	ok, err := regexp.MatchString(filter, name)
	return ok && err == nil
}

// report prints failures as they come and collects the result file.
type report struct {
	cases  []testCase
	failed int
}

type testCase struct {
	Name    string   `xml:"name,attr"`
	Failure *failure `xml:"failure"`
}

type failure struct {
	Text string `xml:",chardata"`
}

// add records a case; an empty text says that it passed.
func (r *report) add(name, text string) {
	c := testCase{Name: name}
	if text != "" {
		c.Failure = &failure{text}
		r.failed++
		fmt.Printf("--- FAIL: %s\n%s", name, text)
	}
	r.cases = append(r.cases, c)
}

// write writes the result file in the form that Bazel reads; path may be empty.
func (r *report) write(path string) error {
	fmt.Printf("%d of %d cases passed\n", len(r.cases)-r.failed, len(r.cases))
	if path == "" {
		return nil
	}
	type suite struct {
		XMLName xml.Name   `xml:"testsuites"`
		Cases   []testCase `xml:"testsuite>testcase"`
	}
	b, err := xml.Marshal(suite{Cases: r.cases})
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o666)
}

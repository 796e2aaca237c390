package parallel

import (
	"fmt"
	"sync/atomic"
	"testing"
)

func TestEveryItemIsVisitedOnceByANumberedWorker(t *testing.T) {
	for _, l := range []Loop{{}, {Jobs: 1}, {Jobs: 3}, {Jobs: 7, Grain: 16}} {
		for _, n := range []int{0, 1, 2, 15, 16, 17, 1000} {
			seen := make([]int32, n)
			workers := l.Workers(n)
			if err := l.Do(n, func(worker, i int) error {
				if worker < 0 || worker >= workers {
					return fmt.Errorf("worker %d of %d", worker, workers)
				}
				atomic.AddInt32(&seen[i], 1)
				return nil
			}); err != nil {
				t.Error(err)
			}
			for i, k := range seen {
				if k != 1 {
					t.Errorf("%+v: item %d of %d was visited %d times", l, i, n, k)
				}
			}
		}
	}
}

func TestErrorIsThatOfTheLowestItemAndStopsNothing(t *testing.T) {
	for _, jobs := range []int{1, 4} {
		var calls atomic.Int32
		err := Loop{Jobs: jobs}.Do(100, func(_, i int) error {
			calls.Add(1)
			if i%7 == 5 {
				return fmt.Errorf("item %d", i)
			}
			return nil
		})
		if err == nil || err.Error() != "item 5" || calls.Load() != 100 {
			t.Errorf("%d jobs: %v after %d calls, want item 5 after 100", jobs, err, calls.Load())
		}
	}
}

func TestFewItemsRunOnOneGoroutine(t *testing.T) {
	if n := (Loop{Jobs: 8, Grain: 16}).Workers(16); n != 1 {
		t.Errorf("16 items in runs of 16 use %d goroutines", n)
	}
	if n := (Loop{Jobs: 8}).Workers(3); n != 3 {
		t.Errorf("3 items use %d goroutines", n)
	}
}

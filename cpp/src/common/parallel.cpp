#include "common/parallel.hpp"

#include <exception>
#include <mutex>
#include <vector>

#if defined(_WIN32)
#include <system_error>
#include <thread>
#else
#include <pthread.h>
#endif

namespace shoal {

namespace {

// What the workers of one call share.
struct Team {
    const std::function<void(std::size_t)>& run;
    std::mutex guard;
    std::exception_ptr first;

    void work(std::size_t worker) noexcept {
        try {
            run(worker);
        } catch (...) {
            const std::lock_guard lock(guard);
            if (!first) first = std::current_exception();
        }
    }
};

#if defined(_WIN32)

class Helpers {
  public:
    explicit Helpers(std::size_t most) { started_.reserve(most); }
    ~Helpers() {
        for (std::thread& each : started_) each.join();
    }
    bool start(Team& team, std::size_t worker) {
        try {
            started_.emplace_back([&team, worker] { team.work(worker); });
        } catch (const std::system_error&) {
            return false;
        } catch (const std::bad_alloc&) {
            return false;
        }
        return true;
    }

  private:
    std::vector<std::thread> started_;
};

#else

// POSIX threads rather than std::thread, for the size of the stack: exact searches recurse as deep
// as a class is large, and musl gives a thread 128 KB unless asked, macOS 512 KB.
class Helpers {
  public:
    explicit Helpers(std::size_t most) {
        tasks_.reserve(most);  // tasks stay where they are
        started_.reserve(most);
    }
    Helpers(const Helpers&) = delete;
    Helpers& operator=(const Helpers&) = delete;
    ~Helpers() {
        for (const pthread_t each : started_) pthread_join(each, nullptr);
    }
    bool start(Team& team, std::size_t worker) {
        pthread_attr_t attributes;
        if (pthread_attr_init(&attributes) != 0) return false;
        pthread_attr_setstacksize(&attributes, stack);
        tasks_.push_back({&team, worker});
        pthread_t made;
        const bool refused = pthread_create(&made, &attributes, begin, &tasks_.back()) != 0;
        pthread_attr_destroy(&attributes);
        if (refused) return false;
        started_.push_back(made);
        return true;
    }

  private:
    static constexpr std::size_t stack = std::size_t{8} << 20;  // as a main thread has on Linux

    struct Task {
        Team* team;
        std::size_t worker;
    };
    static void* begin(void* task) {
        const auto* mine = static_cast<const Task*>(task);
        mine->team->work(mine->worker);
        return nullptr;
    }

    std::vector<Task> tasks_;
    std::vector<pthread_t> started_;
};

#endif

}  // namespace

void run_on_threads(std::size_t threads, const std::function<void(std::size_t)>& run) {
    if (threads == 0) return;
    if (threads == 1) {
        run(0);
        return;
    }
    Team team{run, {}, {}};
    {
        Helpers helpers(threads - 1);
        for (std::size_t worker = 1; worker < threads; ++worker) {
            if (!helpers.start(team, worker)) break;
        }
        team.work(0);
    }
    if (team.first) std::rethrow_exception(team.first);
}

}  // namespace shoal

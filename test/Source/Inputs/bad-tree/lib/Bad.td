let statistics = [];
